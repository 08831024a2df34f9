// A sample: put this on an object of a scene. It captures the first seconds after the scene was loaded.
using TracetoolUnity;
using UnityEngine;

public class CaptureFirstSeconds : MonoBehaviour
{
    [SerializeField] float seconds = 10;
    [SerializeField] string options = "";

    void Start()
    {
        TracetoolResult result = Tracetool.Start(Tracetool.DefaultPath, options);
        if (result != TracetoolResult.Ok)
            Debug.LogWarning("No capture: " + result + ": " + Tracetool.Message);
        Tracetool.Meta("sample", "first seconds");
        Tracetool.Label("warm-up");
    }

    void Update()
    {
        seconds -= Time.unscaledDeltaTime;
        if (seconds > 0 || !Tracetool.IsCapturing)
            return;
        Tracetool.Mark("enough");
        Tracetool.Stop();
        enabled = false;
    }
}

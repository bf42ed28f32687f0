// Browsers start no worker from a page that was opened as a file. The search runs in one, so on such pages a hidden
// frame takes the place of the worker: it has its own global names, and messages go to and fro as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #waiting = [];
    #isReady = false;

    constructor(address) {
      super();
      this.#frame.hidden = true;
      document.body.append(this.#frame);
      const inside = this.#frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = address;
      script.onload = () => {
        this.#isReady = true;
        this.#waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      script.onerror = () => this.dispatchEvent(new ErrorEvent("error", { message: `${address} cannot be loaded` }));
      inside.document.body.append(script);
    }

    set onmessage(handler) {
      this.addEventListener("message", handler);
    }

    postMessage(data) {
      const inside = this.#frame.contentWindow;
      if (this.#isReady) inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      else this.#waiting.push(data);
    }

    terminate() {
      this.#frame.remove();
    }
  };
}

// A page that is opened from disk may start no worker by an address; it may from a text, which is the search's own.
if (location.protocol === "file:") {
  const source = URL.createObjectURL(new Blob(["WORKER"], {type: "text/javascript"}))
  const Threads = window.Worker
  window.Worker = class extends Threads {
    constructor(address, options) {
      super(String(address).includes("/workers/search.") ? source : address, options)
    }
  }
}

// Has garbage collected while the window is at rest. WebKit collects by the bytes that were allocated since the last time, and a
// page at rest allocates nothing: what a long answer left behind would stay until the next one. A page cannot ask for a
// collection. But a buffer counts with all its bytes when it is made, and memory that is never written takes no room.

/** How long nothing is done before each collection, in milliseconds. */
const REST = 5000;
/** How often it is collected: the first collection frees what held more. */
const COLLECTIONS = 2;
/** How many buffers are made, and how many bytes each has: together more than a page of ours has in use. */
const BUFFERS = 32;
const BUFFER = 16 * 1024 * 1024;

export class Garbage {
  readonly #collect: () => unknown;
  /** How many collections are due. */
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(collect: () => unknown = provokeCollection) {
    this.#collect = collect;
  }

  /** Has it collected once nothing is done for a while. */
  schedule(): void {
    this.#due = COLLECTIONS;
    this.postpone();
  }

  /** Begins the rest again, because something is done now. */
  postpone(): void {
    if (this.#due === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#due -= 1;
      this.#collect();
      this.postpone();
    }, REST);
  }

  /** Collects nothing until it is due again. */
  stop(): void {
    this.#due = 0;
    clearTimeout(this.#timer);
  }
}

/** Returns how many bytes were allocated: a minifier drops the making of buffers that nothing reads. */
function provokeCollection(): number {
  let bytes = 0;
  try {
    for (let made = 0; made < BUFFERS; made += 1) bytes += new ArrayBuffer(BUFFER).byteLength;
  } catch {
    // A system that promises no more memory than it has refuses the buffers. Garbage then stays as it would.
  }
  return bytes;
}

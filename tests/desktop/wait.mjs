// Waiting on a condition with a deadline. Tests never sleep for a fixed time: they say what they wait for,
// and a wait that fails says what it saw last.

/** How long a condition may take, in milliseconds, where the caller does not say; it takes effect only in a failure. */
const LONGEST = 45_000;

/** How long until a condition is looked at again, in milliseconds, where the caller does not say. */
const PAUSE = 40;

/**
 * Calls `condition` until it returns something truthy and returns that. An exception counts as "not yet" and is
 * quoted when the deadline passes. `within` and `pause` (between two looks) are in milliseconds.
 */
export async function waitFor(what, condition, { within = LONGEST, pause = PAUSE } = {}) {
  const deadline = Date.now() + within;
  let last;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      last = JSON.stringify(value) ?? "undefined";
    } catch (error) {
      if (error.fatal) throw error;
      last = error.message;
    }
    if (Date.now() > deadline) throw new Error(`waited ${within} ms for ${what}; last seen: ${last}`);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

/** Fails with `what` when `promise` has not settled after `within` milliseconds. */
export async function bounded(what, within, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${within} ms`)), within);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Deeper nesting than this is not prose and is shown as text. */
export const DEEPEST = 16;

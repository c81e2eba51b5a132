// How much room the window has, where a layout alone cannot make something shorter.
import { MediaQuery } from "svelte/reactivity";

/** Whether the window is so low that long texts of others are folded further. */
export const lowWindow = new MediaQuery("(max-height: 640px)");

/** Whether the window has room for little more than what is agreed to, as at twice the size. */
export const tinyWindow = new MediaQuery("(max-height: 480px)");

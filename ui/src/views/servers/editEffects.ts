// What saving a changed server takes away.
import type { ServerEditEffects } from "../../host/bindings";

/** Whether permissions, shared folders, values or the sign-in end. */
export function endsSomething({ signs_out, ends, unshared, lost }: ServerEditEffects): boolean {
  return signs_out || ends.length + unshared.length + lost.length > 0;
}

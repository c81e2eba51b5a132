// Rules that are tried on the calls there were. A test can have the trials last until it lets them go.
import type { Problem, RuleTrial } from "../bindings";
import { trial } from "./records";
import { no, soon } from "./replies";

export class Trials {
  /** The trials that were asked for. */
  readonly asked: Promise<RuleTrial>[] = [];
  /** What trials fail with; null where they end with a result. */
  problem: Problem | null = null;
  #letGo: Promise<void> | undefined;
  letGo: () => void = () => undefined;

  hold(): void {
    this.#letGo = new Promise((letGo) => (this.letGo = letGo));
  }

  ask(): Promise<RuleTrial> {
    const asked = this.#answer();
    this.asked.push(asked);
    return asked;
  }

  async #answer(): Promise<RuleTrial> {
    await this.#letGo;
    return this.problem ? no(this.problem) : soon(trial);
  }
}

// What went wrong outside of any form, until the user has read it.
import { troubleOf, type Trouble } from "../host";

export interface Notice {
  id: number;
  trouble: Trouble;
}

export class Notices {
  list = $state.raw<Notice[]>([]);
  #next = 0;

  /** Does something with the host; a failure becomes a notice. Resolves to whether it worked. */
  async attempt(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.say(troubleOf(error));
      return false;
    }
  }

  say(trouble: Trouble): void {
    this.list = [...this.list.slice(-2), { id: this.#next++, trouble }];
  }

  dismiss(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }
}

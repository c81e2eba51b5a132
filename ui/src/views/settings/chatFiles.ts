// Words for files of chats: who wrote them, and why a part of one is not imported.
import type { ChatPartFault } from "../../host/bindings";
import { m } from "../../paraglide/messages";

const FAULTS: Record<ChatPartFault, () => string> = {
  chat_unreadable: m.chat_part_chat_unreadable,
  chat_empty: m.chat_part_chat_empty,
  too_many: m.chat_part_too_many,
  entry_unreadable: m.chat_part_entry_unreadable,
  entry_too_large: m.chat_part_entry_too_large,
  id_taken: m.chat_part_id_taken,
  parent_missing: m.chat_part_parent_missing,
  parent_circle: m.chat_part_parent_circle,
  result_without_call: m.chat_part_result_without_call,
  file_missing: m.chat_part_file_missing,
  instructions: m.chat_part_instructions,
};

/** Why a part of a file is not imported. */
export const partFault = (fault: ChatPartFault): string => FAULTS[fault]();

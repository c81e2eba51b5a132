// The names of the applications that write files of chats. They are names in every language.
import type { ChatSource } from "../host/bindings";

const NAMES: Record<ChatSource, string> = { vestibule: "Vestibule", chat_gpt: "ChatGPT", claude: "Claude" };

export const sourceName = (source: ChatSource): string => NAMES[source];

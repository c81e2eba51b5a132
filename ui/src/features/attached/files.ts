// What a window says and draws of a file that is attached.
import type { AttachmentView, ContentView } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { size } from "../text/format";

type Picture = Extract<ContentView, { type: "image" }>;

/** The kinds that the host reads. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** The picture of a file; null where it has none. */
export function pictureOf({ from, parts }: AttachmentView): Picture | null {
  const content = from.from === "file" ? parts[0]?.content : undefined;
  return content?.type === "image" && PICTURES.includes(content.mime) ? content : null;
}

/** The address of a picture that is here already. */
export function pictureData({ mime, base64 }: Picture): string {
  return `data:${mime};base64,${base64.replaceAll(/[^A-Za-z\d+/=]/g, "")}`;
}

/** The kind and the size of a file, in words. */
export function fileKind(attachment: AttachmentView): string {
  const bytes = attachment.from.from === "file" ? attachment.from.bytes : 0;
  return pictureOf(attachment) ? m.file_picture({ size: size(bytes) }) : m.file_text({ size: size(bytes) });
}

// What a window says and draws of a file that is attached.
import type { AttachmentView } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { pictureIn, type Picture } from "../picture/picture";
import { number, size } from "../text/format";

/** The picture of a file; null where it has none. */
export function pictureOf({ from, parts }: AttachmentView): Picture | null {
  const content = from.from === "file" ? parts[0]?.content : undefined;
  return content ? pictureIn(content) : null;
}

/** The kind and the size of a file, in words. */
export function fileKind(attachment: AttachmentView): string {
  const { bytes, pages } = attachment.from.from === "file" ? attachment.from : { bytes: 0, pages: null };
  if (pages !== null) return m.file_pdf({ size: size(bytes), pages: number(pages) });
  return pictureOf(attachment) ? m.file_picture({ size: size(bytes) }) : m.file_text({ size: size(bytes) });
}

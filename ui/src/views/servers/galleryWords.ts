// The words for what a registry lists: who could publish under a name, what an entry consists of, and what is left out.
import type { GalleryPackage, GalleryPublisher, LeftOutEntries, PackageKind } from "../../host/bindings";
import { slot } from "../../features/text/rich";
import { m } from "../../paraglide/messages";

/** A sentence with the place of a value that others wrote, and that value. */
interface SentenceOfValues {
  sentence: string;
  values: string[];
}

export function publisherWords(publisher: GalleryPublisher): SentenceOfValues {
  switch (publisher.publisher) {
    case "github_account":
      return { sentence: m.gallery_by_account({ account: slot(0) }), values: [publisher.account] };
    case "domain":
      return { sentence: m.gallery_by_domain({ domain: slot(0) }), values: [publisher.domain] };
    case "unknown":
      return { sentence: m.gallery_by_unknown(), values: [] };
    default:
      return publisher satisfies never;
  }
}

export function kindWords(kind: PackageKind): string {
  switch (kind) {
    case "npm":
      return m.gallery_kind_npm();
    case "pypi":
      return m.gallery_kind_pypi();
    case "nuget":
      return m.gallery_kind_nuget();
    case "oci":
      return m.gallery_kind_image();
    case "bundle":
      return m.gallery_kind_bundle();
    case "remote":
      return m.gallery_kind_remote();
    case "other":
      return m.gallery_kind_other();
    default:
      return kind satisfies never;
  }
}

/** The kinds of the packages, each once. */
export const kindsWords = (packages: GalleryPackage[]): string =>
  [...new Set(packages.map(({ kind }) => kindWords(kind)))].join(" · ");

/** What of the pages is not shown; empty where all is. */
export function leftOutWords({ deleted, repeated, unreadable, beyond }: LeftOutEntries): string {
  const parts = [
    deleted > 0 && m.gallery_out_deleted({ count: deleted }),
    repeated > 0 && m.gallery_out_repeated({ count: repeated }),
    unreadable > 0 && m.gallery_out_unreadable({ count: unreadable }),
    beyond > 0 && m.gallery_out_beyond({ count: beyond }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "" : m.gallery_out({ parts: parts.join(m.found_part_join()) });
}

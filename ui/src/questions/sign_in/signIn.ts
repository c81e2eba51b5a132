// A sign-in in words: whose page it is, how access is got, whom Vestibule presents itself as, and what is unusual.
import type { IssuerSite, SignIn, SignInClient, SignInOddity, SignInWay, UrlInspection } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { visible } from "../../features/text/escapes";
import { slot } from "../../features/text/rich";
import type { Oddity } from "../../features/address/address";

/** The addresses that a sign-in uses. */
export function addressesOf({ issuer, page, token_endpoint, registration }: SignIn): UrlInspection[] {
  return [issuer, page, token_endpoint, registration].filter((address) => address !== null);
}

/** The addresses of a sign-in that are blocked, each once. */
export function blockedAddresses(about: SignIn): string[] {
  const blocked = addressesOf(about).filter(({ verdict }) => verdict === "block");
  return [...new Set(blocked.map(({ canonical, escaped }) => canonical ?? escaped))];
}

/** Whose the issuer is, with a gap for the server's name. */
export function siteWords(site: IssuerSite): string {
  switch (site) {
    case "same":
      return m.sign_in_site_same({ server: slot(0) });
    case "other":
      return m.sign_in_site_other({ server: slot(0) });
    case "this_computer":
      return m.sign_in_site_here({ server: slot(0) });
    default:
      return site satisfies never;
  }
}

/** How access is got. */
export function wayWords(way: SignInWay): string {
  switch (way.way) {
    case "page":
      return m.sign_in_way_page();
    case "client_credentials":
      return m.sign_in_way_credentials();
    case "enterprise":
      return m.sign_in_way_enterprise({ provider: visible(way.identity_provider) });
    case "workload":
      return m.sign_in_way_workload();
    default:
      return way satisfies never;
  }
}

/** Whom Vestibule presents itself as, and the name it has there. */
export function clientWords(client: SignInClient): { words: string; id: string | null } {
  switch (client.client) {
    case "entered":
      return { words: m.sign_in_client_entered(), id: client.id };
    case "document":
      return { words: m.sign_in_client_document(), id: client.address };
    case "registered":
      return { words: m.sign_in_client_registered(), id: client.id };
    case "to_be_registered":
      return { words: m.sign_in_client_new(), id: null };
    case "unnamed":
      return { words: m.sign_in_client_unnamed(), id: null };
    default:
      return client satisfies never;
  }
}

/** What the permissions mean whose names OpenID Connect fixed; all others are defined by the sign-in provider. */
const SCOPES: Record<string, () => string> = {
  address: m.scope_words_address,
  email: m.scope_words_email,
  offline_access: m.scope_words_offline,
  openid: m.scope_words_openid,
  phone: m.scope_words_phone,
  profile: m.scope_words_profile,
};

/** A permission in words, or null where only the sign-in provider knows its meaning. */
export function scopeWords(scope: string): string | null {
  return Object.hasOwn(SCOPES, scope) ? (SCOPES[scope]?.() ?? null) : null;
}

/** The sign-in page, where it belongs to another site than the issuer; a second yes is needed there. */
export function otherPage({ oddities, page }: SignIn): UrlInspection | null {
  return oddities.some(({ oddity }) => oddity === "other_page") ? page : null;
}

/** A host as it is read out loud, with its port where that is not the usual one. */
export function hostOf({ display_host, ascii_host, port }: UrlInspection): string {
  const host = display_host ?? ascii_host ?? "";
  return port === null ? host : `${host}:${port}`;
}

/** What is unusual; `issuer` is who signs in, in words. */
export function oddityWords(oddity: SignInOddity, issuer: string): Oddity {
  switch (oddity.oddity) {
    case "guessed":
      return { what: m.sign_in_guessed(), then: m.sign_in_guessed_long() };
    case "no_pkce":
      return { what: m.sign_in_no_pkce(), then: m.sign_in_no_pkce_long() };
    case "other_origin":
      return {
        what: m.sign_in_other_origin({ origin: visible(oddity.origin) }),
        then: m.sign_in_other_origin_long(),
      };
    case "other_page":
      return {
        what: m.sign_in_other_page({ page: visible(oddity.origin), issuer }),
        then: oddity.confirmed ? m.sign_in_other_page_confirmed() : m.sign_in_other_page_open({ issuer }),
      };
    case "wider":
      return { what: m.sign_in_wider(), then: m.sign_in_wider_long() };
    default:
      return oddity satisfies never;
  }
}

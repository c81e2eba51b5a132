// The form for how to sign in, as plain text fields: read from what is set, and turned back into it. Secrets are in the
// form only while they are written.
import { typedCount } from "../../features/text/typedNumber";
import type { SigningAlgorithm, SignInMethod, SignInOffers, SignInSecrets, SignInSettings } from "../../host/bindings";

/** What is in the form. */
export interface SignInDraft {
  method: SignInMethod;
  algorithm: SigningAlgorithm;
  bound: boolean;
  client: string;
  issuer: string;
  secret: string;
  port: string;
  keyId: string;
  document: string;
  company: string;
  companyTokens: string;
  companyClient: string;
  companySecret: string;
  file: string;
}

/** The fields that are text. */
export type Text = Exclude<keyof SignInDraft, "method" | "algorithm" | "bound">;

/** The form before anything is known. */
export function emptyDraft(): SignInDraft {
  return {
    method: "page",
    algorithm: "ES256",
    bound: true,
    client: "",
    issuer: "",
    secret: "",
    port: "",
    keyId: "",
    document: "",
    company: "",
    companyTokens: "",
    companyClient: "",
    companySecret: "",
    file: "",
  };
}

/** What is set, in the form. */
export function draftOf(settings: SignInSettings): SignInDraft {
  return {
    ...emptyDraft(),
    method: settings.method,
    algorithm: settings.key.algorithm,
    bound: settings.bound,
    client: settings.client?.id ?? "",
    issuer: settings.client?.issuer ?? "",
    port: String(settings.client?.port ?? ""),
    keyId: settings.key.id ?? "",
    document: settings.document ?? "",
    company: settings.company?.issuer ?? "",
    companyTokens: settings.company?.token_endpoint ?? "",
    companyClient: settings.company?.client ?? "",
    file: settings.token_file ?? "",
  };
}

/** The port that a text is; null where nothing was written, or no port. */
function portOf(text: string): number | null {
  const port = typedCount(text);
  return port !== undefined && port > 0 && port < 65_536 ? port : null;
}

/** Whether the redirect port has a text that is no port. */
export function isNoPort({ method, client, port }: SignInDraft): boolean {
  return method === "page" && client.trim() !== "" && port.trim() !== "" && portOf(port) === null;
}

/** What the form sets. */
export function settingsOf(draft: SignInDraft): SignInSettings {
  const filled = (text: string) => (text.trim() === "" ? null : text.trim());
  const client = draft.method === "workload" ? null : filled(draft.client);
  const company = draft.method === "enterprise";
  return {
    method: draft.method,
    client:
      client === null
        ? null
        : {
            issuer: draft.issuer.trim(),
            id: client,
            port: portOf(draft.port),
          },
    bound: draft.bound,
    document: client === null && draft.method === "page" ? filled(draft.document) : null,
    key: { algorithm: draft.algorithm, id: filled(draft.keyId) },
    company: company
      ? {
          issuer: draft.company.trim(),
          token_endpoint: draft.companyTokens.trim(),
          client: draft.companyClient.trim(),
        }
      : null,
    token_file: company || draft.method === "workload" ? filled(draft.file) : null,
  };
}

/** The secrets that were written in the form. */
export function secretsOf(draft: SignInDraft): SignInSecrets {
  const written = (text: string) => (text === "" ? null : text);
  return { client: written(draft.secret), company: written(draft.companySecret) };
}

/** Whether the form says all that its way needs. */
export function isWhole(draft: SignInDraft): boolean {
  const filled = (...fields: Text[]) => fields.every((field) => draft[field].trim() !== "");
  switch (draft.method) {
    case "page":
      return draft.client.trim() === "" || (filled("issuer") && !isNoPort(draft));
    case "client_secret":
    case "client_key":
      return filled("client", "issuer");
    case "enterprise":
      return filled("client", "issuer", "company", "companyTokens", "companyClient", "file");
    case "workload":
      return filled("file");
    default:
      return draft.method satisfies never;
  }
}

/** The ways to choose from: a page always, others where they are offered or not known not to be, and the one that is set. */
export function methods(offers: SignInOffers | null, set: SignInMethod): SignInMethod[] {
  const all: [SignInMethod, boolean][] = [
    ["page", true],
    ["client_secret", offers?.client_credentials ?? true],
    ["client_key", offers?.client_credentials ?? true],
    ["enterprise", offers?.enterprise ?? false],
    ["workload", offers?.workload ?? false],
  ];
  return all.filter(([method, offered]) => offered || method === set).map(([method]) => method);
}

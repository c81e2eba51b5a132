// A host that lives in the page, for development and browser tests: the same interface, believable data, no Rust. It is
// only in builds made with `--mode fake`. `?scene=`, `?appearance=` and `?language=` choose what it shows.
export { fakeConsent } from "./consent";
export { fakeMain } from "./main";

import type { ConsentHost, MainHost } from "./client";
export function fakeMain(): MainHost { throw new Error("not here"); }
export function fakeConsent(): ConsentHost { throw new Error("not here"); }

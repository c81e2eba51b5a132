// All test files of a worker share one set of modules. Each file starts with English as the language.
import { beforeAll } from "vitest";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

beforeAll(() => overwriteGetLocale(() => "en"));

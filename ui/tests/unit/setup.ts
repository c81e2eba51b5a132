// The files of tests share their modules, which spares most of the time. What a file leaves behind is taken back here.
import { beforeAll } from "vitest";
import { overwriteGetLocale } from "../../src/paraglide/runtime";

beforeAll(() => overwriteGetLocale(() => "en"));

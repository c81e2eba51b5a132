// The languages that code is coloured in, by the names that models write after the fence. This file and the parsers it
// names are loaded when the first code block is shown.
import { c, cpp, csharp, dart, java, kotlin, objectiveC, scala } from "@codemirror/legacy-modes/mode/clike";
import { clojure } from "@codemirror/legacy-modes/mode/clojure";
import { cmake } from "@codemirror/legacy-modes/mode/cmake";
import { css, less, sCSS } from "@codemirror/legacy-modes/mode/css";
import { diff } from "@codemirror/legacy-modes/mode/diff";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { go } from "@codemirror/legacy-modes/mode/go";
import { groovy } from "@codemirror/legacy-modes/mode/groovy";
import { haskell } from "@codemirror/legacy-modes/mode/haskell";
import { javascript, json, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { julia } from "@codemirror/legacy-modes/mode/julia";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { nginx } from "@codemirror/legacy-modes/mode/nginx";
import { perl } from "@codemirror/legacy-modes/mode/perl";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { protobuf } from "@codemirror/legacy-modes/mode/protobuf";
import { python } from "@codemirror/legacy-modes/mode/python";
import { r } from "@codemirror/legacy-modes/mode/r";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { pgSQL, sqlite, standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { swift } from "@codemirror/legacy-modes/mode/swift";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { html, xml } from "@codemirror/legacy-modes/mode/xml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import type { StreamParser } from "@codemirror/streamparser";

/** Each parser, and the names it has. */
export const NAMED: readonly (readonly [StreamParser<unknown>, string])[] = [
  [c, "c h"],
  [cpp, "cpp c++ cc cxx hpp"],
  [csharp, "csharp cs c#"],
  [dart, "dart"],
  [java, "java"],
  [kotlin, "kotlin kt kts"],
  [objectiveC, "objectivec objective-c objc"],
  [scala, "scala"],
  [clojure, "clojure clj edn"],
  [cmake, "cmake"],
  [css, "css"],
  [less, "less"],
  [sCSS, "scss"],
  [diff, "diff patch"],
  [dockerFile, "dockerfile docker containerfile"],
  [go, "go golang"],
  [groovy, "groovy gradle"],
  [haskell, "haskell hs"],
  [javascript, "javascript js jsx mjs cjs"],
  [json, "json json5 jsonc jsonl"],
  [typescript, "typescript ts tsx mts cts"],
  [julia, "julia jl"],
  [lua, "lua"],
  [nginx, "nginx"],
  [perl, "perl pl"],
  [powerShell, "powershell ps1 pwsh"],
  [properties, "properties ini env dotenv conf"],
  [protobuf, "protobuf proto"],
  [python, "python py python3"],
  [r, "r"],
  [ruby, "ruby rb"],
  [rust, "rust rs"],
  [shell, "shell sh bash zsh console"],
  [pgSQL, "pgsql postgresql postgres"],
  [sqlite, "sqlite"],
  [standardSQL, "sql mysql"],
  [swift, "swift"],
  [toml, "toml"],
  [html, "html vue svelte"],
  [xml, "xml svg xhtml"],
  [yaml, "yaml yml"],
];

const PARSERS = new Map(NAMED.flatMap(([parser, names]) => names.split(" ").map((name) => [name, parser] as const)));

/** The parser of a language, in any case; none where the name is not known. */
export const parserOf = (language: string): StreamParser<unknown> | undefined => PARSERS.get(language.toLowerCase());

// The words for problems of what the user entered.
import { oddity, worthSaying } from "../../address/address";
import type { InputProblem } from "../../../host/bindings";
import { m } from "../../../paraglide/messages";
import { listed, number, size } from "../../text/format";
import { visible } from "../../text/escapes";
import { system, type WordsOf } from "../words";

export const inputProblems: WordsOf<InputProblem> = {
  variables_missing: (trouble) => ({
    happened: m.problem_variables_missing({ names: listed(trouble.names.map(visible)) }),
    todo: m.problem_variables_missing_do(),
  }),
  too_many_attachments: (trouble) => ({
    happened: m.problem_too_many_attachments({ limit: trouble.limit }),
    todo: m.problem_too_many_attachments_do(),
  }),
  attachments_too_large: (trouble) => ({
    happened: m.problem_attachments_too_large({ limit: number(trouble.limit_mb) }),
    todo: m.problem_attachments_too_large_do(),
  }),
  file_unreadable: (trouble) => ({
    happened: m.problem_file_unreadable({ file: visible(trouble.file) }),
    todo: m.problem_file_unreadable_do(),
    quote: system(trouble.detail),
  }),
  file_not_regular: (trouble) => ({
    happened: m.problem_file_not_regular({ file: visible(trouble.file) }),
    todo: m.problem_file_not_regular_do(),
  }),
  file_too_large: (trouble) => ({
    happened: m.problem_file_too_large({ file: visible(trouble.file), limit: size(trouble.limit_kb * 1024) }),
    todo: m.problem_file_too_large_do(),
  }),
  file_kind_unknown: (trouble) => ({
    happened: m.problem_file_kind_unknown({ file: visible(trouble.file) }),
    todo: m.problem_file_kind_unknown_do(),
  }),
  pdf_encrypted: (trouble) => ({
    happened: m.problem_pdf_encrypted({ file: visible(trouble.file) }),
    todo: m.problem_pdf_encrypted_do(),
  }),
  pdf_damaged: (trouble) => ({
    happened: m.problem_pdf_damaged({ file: visible(trouble.file) }),
    todo: m.problem_pdf_damaged_do(),
  }),
  pdf_without_text: (trouble) => ({
    happened: m.problem_pdf_without_text({ file: visible(trouble.file) }),
    todo: m.problem_pdf_without_text_do(),
  }),
  pdf_too_long: (trouble) => ({
    happened: m.problem_pdf_too_long({ file: visible(trouble.file), limit: size(trouble.limit_kb * 1024) }),
    todo: m.problem_pdf_too_long_do(),
  }),
  pdf_too_complex: (trouble) => ({
    happened: m.problem_pdf_too_complex({ file: visible(trouble.file) }),
    todo: m.problem_pdf_too_complex_do(),
  }),
  picture_too_large: (trouble) => ({
    happened: m.problem_picture_too_large({ file: visible(trouble.file), limit: number(trouble.limit_megapixels) }),
    todo: m.problem_picture_too_large_do(),
  }),
  picture_damaged: (trouble) => ({
    happened: m.problem_picture_damaged({ name: visible(trouble.name) }),
    todo: m.problem_picture_damaged_do(),
  }),
  link_not_in_answer: (trouble) => ({
    happened: m.problem_link_not_in_answer({ address: visible(trouble.address) }),
    todo: m.problem_link_not_in_answer_do(),
  }),
  file_not_kept: ({ file, detail }) => ({
    happened: m.problem_file_not_kept({ file: visible(file) }),
    todo: m.problem_file_not_kept_do(),
    quote: system(detail),
  }),
  clipboard_without_picture: () => ({
    happened: m.problem_clipboard_without_picture(),
    todo: m.problem_clipboard_without_picture_do(),
  }),
  model_without_pictures: () => ({
    happened: m.problem_model_without_pictures(),
    todo: m.problem_model_without_pictures_do(),
  }),
  secrets_missing: (trouble) => ({
    happened: m.problem_secrets_missing({ names: listed(trouble.names.map(visible)) }),
    todo: m.problem_secrets_missing_do(),
  }),
  json_broken: (trouble) => ({
    happened: m.problem_json_broken({ line: trouble.line, column: trouble.column }),
    todo: m.problem_json_broken_do(),
    quote: system(trouble.detail),
  }),
  json_without_servers: () => ({
    happened: m.problem_json_without_servers(),
    todo: m.problem_json_without_servers_do(),
  }),
  config_broken: (trouble) => ({
    happened: m.problem_config_broken({ format: trouble.format, line: trouble.line, column: trouble.column }),
    todo: m.problem_config_broken_do(),
    quote: system(trouble.detail),
  }),
  config_unknown: () => ({ happened: m.problem_config_unknown(), todo: m.problem_config_unknown_do() }),
  config_too_long: (trouble) => ({
    happened: m.problem_config_too_long({ limit: number(trouble.limit_kb) }),
    todo: m.problem_config_too_long_do(),
  }),
  config_unreadable: (trouble) => ({
    happened: m.problem_config_unreadable(),
    todo: m.problem_config_unreadable_do(),
    quote: system(trouble.detail),
  }),
  servers_too_many: (trouble) => ({
    happened: m.problem_servers_too_many({ found: number(trouble.found), limit: number(trouble.limit) }),
    todo: m.problem_servers_too_many_do(),
  }),
  link_broken: (trouble) => ({
    happened: m.problem_link_broken(),
    todo: m.problem_link_broken_do(),
    quote: system(trouble.detail),
  }),
  command_line_shell: (trouble) => ({
    happened: m.problem_command_line_shell({ part: visible(trouble.part) }),
    todo: m.problem_command_line_shell_do(),
  }),
  entry_foreign: (trouble) => ({
    happened: m.problem_entry_foreign({ kind: visible(trouble.kind) }),
    todo: m.problem_entry_foreign_do(),
  }),
  entry_doubled: (trouble) => ({
    happened: m.problem_entry_doubled({ name: visible(trouble.name) }),
    todo: m.problem_entry_doubled_do(),
  }),
  entry_unreadable: (trouble) => ({
    happened: m.problem_entry_unreadable(),
    todo: m.problem_entry_unreadable_do(),
    quote: system(trouble.detail),
  }),
  rules_unreadable: (trouble) => ({
    happened: m.problem_rules_unreadable(),
    todo: m.problem_rules_unreadable_do(),
    quote: system(trouble.detail),
  }),
  chat_file_too_large: (trouble) => ({
    happened: m.problem_chat_file_too_large({ file: visible(trouble.file), limit: number(trouble.limit_mb) }),
    todo: m.problem_chat_file_too_large_do(),
  }),
  chat_file_unreadable: (trouble) => ({
    happened: m.problem_chat_file_unreadable({ file: visible(trouble.file) }),
    todo: m.problem_chat_file_unreadable_do(),
    quote: system(trouble.detail),
  }),
  chat_file_unknown: (trouble) => ({
    happened: m.problem_chat_file_unknown({ file: visible(trouble.file) }),
    todo: m.problem_chat_file_unknown_do(),
  }),
  chat_file_packed: (trouble) => ({
    happened: m.problem_chat_file_packed({ file: visible(trouble.file) }),
    todo: m.problem_chat_file_packed_do(),
  }),
  chat_file_newer: (trouble) => ({
    happened: m.problem_chat_file_newer({ file: visible(trouble.file) }),
    todo: m.problem_chat_file_newer_do(),
  }),
  backup_foreign: (trouble) => ({
    happened: m.problem_backup_foreign({ file: visible(trouble.file) }),
    todo: m.problem_backup_foreign_do(),
  }),
  backup_newer: (trouble) => ({
    happened: m.problem_backup_newer({
      file: visible(trouble.file),
      found: number(trouble.found),
      known: number(trouble.known),
    }),
    todo: m.problem_backup_newer_do(),
  }),
  backup_damaged: (trouble) => ({
    happened: m.problem_backup_damaged({ file: visible(trouble.file) }),
    todo: m.problem_backup_damaged_do(),
    quote: system(trouble.detail),
  }),
  rule_unkeepable: (trouble) => ({
    happened: m.problem_rule_unkeepable(),
    todo: m.problem_rule_unkeepable_do(),
    quote: system(trouble.detail),
  }),
  name_missing: () => ({ happened: m.problem_name_missing(), todo: m.problem_name_missing_do() }),
  name_taken: (trouble) => ({
    happened: m.problem_name_taken({ name: visible(trouble.name) }),
    todo: m.problem_name_taken_do(),
  }),
  name_alike: (trouble) => ({
    happened: m.problem_name_alike({ name: visible(trouble.name), other: visible(trouble.other) }),
    todo: m.problem_name_taken_do(),
  }),
  profiles_too_many: (trouble) => ({
    happened: m.problem_profiles_too_many({ limit: number(trouble.limit) }),
    todo: m.problem_profiles_too_many_do(),
  }),
  tools_off_too_many: (trouble) => ({
    happened: m.problem_tools_off_too_many({ limit: number(trouble.limit) }),
    todo: m.problem_tools_off_too_many_do(),
  }),
  command_missing: () => ({ happened: m.problem_command_missing(), todo: m.problem_command_missing_do() }),
  command_line_unclosed: () => ({
    happened: m.problem_command_line_unclosed(),
    todo: m.problem_command_line_unclosed_do(),
  }),
  address_missing: () => ({ happened: m.problem_address_missing(), todo: m.problem_address_missing_do() }),
  model_name_invalid: (trouble) => ({
    happened: m.problem_model_name_invalid({ name: visible(trouble.name) }),
    todo: m.problem_model_name_invalid_do(),
  }),
  model_file_unusable: (trouble) => ({
    happened: m.problem_model_file_unusable({ file: visible(trouble.file) }),
    todo: m.problem_model_file_unusable_do(),
    quote: system(trouble.detail),
  }),
  header_invalid: (trouble) => ({
    happened: m.problem_header_invalid({ name: visible(trouble.name) }),
    todo: m.problem_header_invalid_do(),
  }),
  address_invalid: (trouble) => ({
    happened: m.problem_address_invalid({ url: visible(trouble.url) }),
    todo: m.problem_address_invalid_do(),
    quote: system(trouble.detail),
  }),
  address_deceives: (trouble) => ({
    happened: m.problem_address_deceives({ origin: visible(trouble.origin) }),
    todo: worthSaying(trouble.warnings, "server")
      .map((warning) => oddity(warning, "server"))
      .map(({ what, then }) => `${what} ${then}`)
      .join(" "),
  }),
  chat_busy: () => ({ happened: m.problem_chat_busy(), todo: m.problem_chat_busy_do() }),
  gone: () => ({ happened: m.problem_gone(), todo: m.problem_gone_do() }),
  too_long: (trouble) => ({
    happened: m.problem_too_long({ limit: number(trouble.limit_kb) }),
    todo: m.problem_too_long_do(),
  }),
};

//! What the parser may copy when it salvages the cut-off arguments of calls: at the end of every value in them, the brackets
//! that are open there. So each byte that may end a value costs how deep it may stand.
//!
//! Arguments are what a string of the document says, or what several of its strings say one after the other, and which ones
//! these are is not known here. So every string counts as a part of arguments, which may begin outside or inside a string of
//! theirs, and what it leaves open at most stays open for the rest of the event.

use crate::nesting::Nesting;

/// The most that one event may cost. Arguments as deep as a call may have them stay below it in an event of 1 MiB.
const BUDGET: usize = 1 << 28;

/// The ways in which a part of arguments may begin.
const BEGUN: [Nesting; 3] = [
    Nesting::new(),
    Nesting::within_string(false),
    Nesting::within_string(true),
];

pub(super) struct SalvageCost {
    /// The line as JSON. No string of a document goes on in another line.
    line: Nesting,
    escape: Escape,
    /// The string under way as a part of arguments.
    part: [Nesting; 3],
    /// How many brackets the strings before may have left open.
    before: usize,
    cost: usize,
}

impl Default for SalvageCost {
    fn default() -> Self {
        Self {
            line: Nesting::new(),
            escape: Escape::None,
            part: BEGUN,
            before: 0,
            cost: 0,
        }
    }
}

impl SalvageCost {
    pub(super) fn is_too_much(&self) -> bool {
        self.cost > BUDGET
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.add_byte(*byte);
        }
    }

    pub(super) fn end_line(&mut self) {
        self.end_string();
        self.line = Nesting::new();
    }

    fn add_byte(&mut self, byte: u8) {
        let was_in_string = self.line.is_in_string();
        self.line.step(byte);
        let is_in_string = self.line.is_in_string();
        let said = match was_in_string && is_in_string {
            true => self.escape.read(byte),
            false => Some(byte),
        };
        let Some(said) = said else { return };
        if was_in_string && is_in_string {
            for part in &mut self.part {
                part.step(said);
            }
        }
        // A number or a word is a value too, and ends before another byte.
        if !said.is_ascii_alphanumeric() {
            let depth = self.line.depth() + self.before + self.left_open();
            self.cost = self.cost.saturating_add(depth);
        }
        if was_in_string && !is_in_string {
            self.end_string();
        }
    }

    fn end_string(&mut self) {
        self.before += self.left_open();
        (self.escape, self.part) = (Escape::None, BEGUN);
    }

    fn left_open(&self) -> usize {
        self.part.map(Nesting::depth).into_iter().max().unwrap_or(0)
    }
}

/// Where an escape sequence of a string stands.
#[derive(Clone, Copy)]
enum Escape {
    None,
    Begun,
    /// The code so far, of so many digits.
    Code(u32, u8),
}

impl Escape {
    /// What the string says with this byte; `None` within an escape sequence. A character that does not fit into
    /// a byte is said as a space.
    fn read(&mut self, byte: u8) -> Option<u8> {
        let (next, said) = match (*self, byte) {
            (Self::None, b'\\') => (Self::Begun, None),
            (Self::None, byte) => (Self::None, Some(byte)),
            (Self::Begun, b'u') => (Self::Code(0, 0), None),
            (Self::Begun, b'b' | b'f' | b'n' | b'r' | b't') => (Self::None, Some(b' ')),
            (Self::Begun, byte) => (Self::None, Some(byte)),
            (Self::Code(code, digits), byte) => {
                let code = code * 16 + char::from(byte).to_digit(16).unwrap_or(0);
                match digits {
                    3 => (Self::None, Some(u8::try_from(code).unwrap_or(b' '))),
                    _ => (Self::Code(code, digits + 1), None),
                }
            }
        };
        *self = next;
        said
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cost(event: &str) -> usize {
        let mut salvage = SalvageCost::default();
        salvage.add(event.as_bytes());
        salvage.cost
    }

    /// What the library copies while it salvages arguments, counted as `parse_partial_object` of `rig-core` does it.
    fn copied(arguments: &str) -> usize {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+');
        let (mut open, mut in_string, mut escaped, mut copied) = (0_usize, false, false, 0);
        for (at, byte) in arguments.bytes().enumerate() {
            let next = arguments.as_bytes().get(at + 1).copied();
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => {
                    in_string = !in_string;
                    copied += if in_string { 0 } else { open };
                }
                _ if in_string => {}
                b'[' | b'{' => {
                    open += 1;
                    copied += open;
                }
                b']' | b'}' => {
                    open = open.saturating_sub(1);
                    copied += open;
                }
                byte if is_word(byte) && !next.is_some_and(is_word) => copied += open,
                _ => {}
            }
        }
        copied
    }

    /// A string with every character escaped, as JSON may have it.
    fn escaped(text: &str) -> String {
        let codes = text.bytes().map(|byte| format!("\\u{byte:04X}"));
        format!("\"{}\"", codes.collect::<String>())
    }

    /// However a server writes them: plainly, escaped, in fragments that are cut anywhere, with other strings between them.
    #[test]
    fn what_salvaging_copies_is_never_more_than_what_was_counted() {
        let closers = "]".repeat(200);
        for arguments in [
            "[".repeat(300),
            "[\"".repeat(200),
            format!("{}{}", "[".repeat(200), "1 ".repeat(300)),
            format!("{}{}", "[".repeat(200), "\"\",".repeat(300)),
            format!("{}\"{closers}\"{}", "[".repeat(200), "\"\",".repeat(300)),
            format!("{}\"\\\"{closers}\"{}", "{".repeat(200), "1,".repeat(300)),
            format!("{}{closers}{}", "]".repeat(10), "[{\"a\":".repeat(200)),
            r#"[\"\\","[[[\"]]"#.repeat(60),
        ] {
            let real = copied(&arguments);
            for size in [1, 2, 3, 7, 100, arguments.len()] {
                let fragments: Vec<&str> = arguments
                    .as_bytes()
                    .chunks(size)
                    .map(|fragment| std::str::from_utf8(fragment).unwrap())
                    .collect();
                let plain: Vec<_> = fragments.iter().map(|text| json!({ "]\"": text })).collect();
                let plain = json!({ "fragments": plain }).to_string();
                let codes: Vec<_> = fragments.iter().map(|text| escaped(text)).collect();
                for event in [plain, format!("[{}]", codes.join(",\"\\\"]\","))] {
                    assert!(
                        serde_json::from_str::<serde_json::Value>(&event).is_ok(),
                        "{event}"
                    );
                    // A byte after a number may end two values.
                    assert!(cost(&event) * 2 >= real, "{} < {real}: {event}", cost(&event));
                }
            }
        }
    }

    #[test]
    fn what_is_open_is_counted_and_not_what_was_opened() {
        let rows = r#"{"id":1,"name":"ab"},"#.repeat(30_000);
        let arguments = format!("{{\"rows\":[{rows}{{}}]}}");
        let event = json!({ "response": { "output": [{ "arguments": arguments }] } }).to_string();
        assert!(cost(&event) < event.len() * 8, "{}", cost(&event));
    }

    /// Another line of the event cannot make the strings of the document look like what is between them.
    #[test]
    fn a_quotation_mark_in_another_line_changes_nothing() {
        let event = json!({ "arguments": format!("{}\"{}\"", "[".repeat(200), "]".repeat(200)) });
        let mut salvage = SalvageCost::default();
        salvage.add(b"event: \"");
        salvage.end_line();
        salvage.add(event.to_string().as_bytes());
        assert!(salvage.cost >= cost(&event.to_string()));
    }
}

//! How deep a JSON text is open, followed as its bytes arrive.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// For a text at its beginning.
    pub(crate) const fn new() -> Self {
        Self {
            depth: 0,
            in_string: false,
            escaped: false,
        }
    }

    /// For a text that goes on within a string, where `escaped` right after a backslash.
    pub(crate) const fn within_string(escaped: bool) -> Self {
        Self {
            depth: 0,
            in_string: true,
            escaped,
        }
    }

    pub(crate) fn depth(self) -> usize {
        self.depth
    }

    pub(crate) fn is_in_string(self) -> bool {
        self.in_string
    }

    pub(crate) fn step(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'[' | b'{' if !self.in_string => self.depth += 1,
            b']' | b'}' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// The deepest point reached inside `fragment`.
    pub(crate) fn after(&mut self, fragment: &str) -> usize {
        let mut deepest = self.depth;
        for byte in fragment.bytes() {
            self.step(byte);
            deepest = deepest.max(self.depth);
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_inside_strings_are_not_nesting() {
        let mut nesting = Nesting::default();
        assert_eq!(nesting.after(r#"{"code":"[[[[\"[["#), 1);
        assert_eq!(nesting.after(r#"[[","list":[[1]"#), 3);
    }
}

//! The result of a request, and where those of its members stand that are the same in every result of a modern server. They are
//! noted while the frame is read, so that a long result is not gone through again for them.

use crate::json::{RawJson, RawJsonBuf, ScanError, Scanner};

/// The members of a result that say what kind of result it is, how long it may be kept, and what the server needs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadMember {
    ResultType,
    TtlMs,
    CacheScope,
    InputRequests,
    RequestState,
}

impl HeadMember {
    const COUNT: usize = 5;

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "resultType" => Self::ResultType,
            "ttlMs" => Self::TtlMs,
            "cacheScope" => Self::CacheScope,
            "inputRequests" => Self::InputRequests,
            "requestState" => Self::RequestState,
            _ => return None,
        })
    }
}

/// Where a member stands in its result, in bytes. `end` is 0 where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Span {
    begin: usize,
    end: usize,
}

/// Where the members of the head of one result stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ResultHead {
    spans: [Span; HeadMember::COUNT],
    has_member_twice: bool,
}

impl ResultHead {
    /// Reads the next value, which begins at `begin`.
    fn read(scanner: &mut Scanner<'_>, begin: usize) -> Result<Self, ScanError> {
        let mut head = Self::default();
        if scanner.peek() != Some(b'{') {
            scanner.value()?;
            return Ok(head);
        }
        scanner.object::<ScanError>(|scanner, name| {
            let member = scanner.begin_value();
            scanner.value()?;
            if let Some(named) = HeadMember::named(&name) {
                let (begin, end) = (member - begin, scanner.at() - begin);
                head.note(named, Span { begin, end });
            }
            Ok(())
        })?;
        Ok(head)
    }

    fn note(&mut self, member: HeadMember, span: Span) {
        let noted = &mut self.spans[member as usize];
        self.has_member_twice |= noted.end > 0;
        *noted = span;
    }
}

/// A result as it stands in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RpcResult<'a> {
    raw: RawJson<'a>,
    head: ResultHead,
}

impl<'a> RpcResult<'a> {
    /// Reads the next value as a result.
    pub(super) fn read(scanner: &mut Scanner<'a>) -> Result<Self, ScanError> {
        let begin = scanner.begin_value();
        let before = scanner.clone();
        let head = match ResultHead::read(scanner, begin) {
            // The error is found again where the result is read. Here it would hide which request is answered.
            Err(ScanError::HalfCharacter(_)) => {
                *scanner = before;
                scanner.value()?;
                ResultHead::default()
            }
            head => head?,
        };
        let raw = scanner.value_since(begin);
        Ok(Self { raw, head })
    }

    #[must_use]
    pub const fn raw(self) -> RawJson<'a> {
        self.raw
    }

    /// Whether a member of the head comes twice, so that two readers may read different results.
    pub(crate) const fn has_member_twice(self) -> bool {
        self.head.has_member_twice
    }

    pub(crate) fn member(self, member: HeadMember) -> Option<RawJson<'a>> {
        let Span { begin, end } = self.head.spans[member as usize];
        (end > 0).then(|| self.raw.part(begin, end))
    }

    #[must_use]
    pub fn to_buf(self) -> RpcResultBuf {
        RpcResultBuf {
            raw: self.raw.to_buf(),
            head: self.head,
        }
    }
}

/// A [`RpcResult`] with a text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcResultBuf {
    raw: RawJsonBuf,
    head: ResultHead,
}

impl RpcResultBuf {
    #[must_use]
    pub fn as_result(&self) -> RpcResult<'_> {
        RpcResult {
            raw: self.raw.as_raw(),
            head: self.head,
        }
    }

    #[must_use]
    pub fn raw(&self) -> RawJson<'_> {
        self.raw.as_raw()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;

    const HEAD: [(&str, HeadMember); HeadMember::COUNT] = [
        ("resultType", HeadMember::ResultType),
        ("ttlMs", HeadMember::TtlMs),
        ("cacheScope", HeadMember::CacheScope),
        ("inputRequests", HeadMember::InputRequests),
        ("requestState", HeadMember::RequestState),
    ];

    fn read(text: &str) -> RpcResult<'_> {
        RpcResult::read(&mut Scanner::new(text)).unwrap()
    }

    fn any_name() -> impl Strategy<Value = String> {
        let named = proptest::sample::select(HEAD.map(|(name, _)| name.to_owned()).to_vec());
        prop_oneof![named, ".{0,8}"]
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            any::<i64>().prop_map(Value::from),
            ".{0,20}".prop_map(Value::from)
        ];
        scalar.prop_recursive(2, 8, 3, |inner| {
            let object = proptest::collection::btree_map(any_name(), inner.clone(), 0..3);
            prop_oneof![
                proptest::collection::vec(inner, 0..3).prop_map(Value::from),
                object.prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn each_member_of_the_head_is_found_and_no_other_one(
            members in proptest::collection::btree_map(any_name(), any_value(), 0..8),
            pretty: bool,
        ) {
            let result = Value::from(members.into_iter().collect::<Map<_, _>>());
            let text = if pretty { format!("  {result:#}\n") } else { result.to_string() };
            let owned = read(&text).to_buf();
            for (name, member) in HEAD {
                let found = owned.as_result().member(member).map(|raw| raw.read::<Value>().unwrap());
                prop_assert_eq!(found.as_ref(), result.get(name));
            }
            prop_assert!(!owned.as_result().has_member_twice());
            prop_assert_eq!(owned.raw().get(), text.trim());
        }
    }

    #[test]
    fn a_member_of_the_head_that_comes_twice_is_noted() {
        for (text, twice) in [
            (r#"{"ttlMs":1,"a":2,"ttlMs":1}"#, true),
            (r#"{"ttlMs":1,"\u0074tlMs":1}"#, true),
            (r#"{"a":1,"a":2,"b":{"ttlMs":1,"ttlMs":1},"ttlMs":1}"#, false),
        ] {
            assert_eq!(read(text).has_member_twice(), twice, "{text}");
        }
    }

    #[test]
    fn a_name_with_half_of_a_character_leaves_the_result_as_it_stands() {
        let text = r#"{"ttlMs":1,"\ud800":[2],"cacheScope":"public"}"#;
        let mut scanner = Scanner::new(text);
        let result = RpcResult::read(&mut scanner).unwrap();
        assert_eq!((result.raw().get(), scanner.values()), (text, 8));
        assert!(HEAD.iter().all(|(_, member)| result.member(*member).is_none()));
    }

    #[test]
    fn a_result_that_is_no_object_has_no_head() {
        for text in ["null", "[]", r#"["ttlMs",1]"#, r#""ttlMs""#, "1"] {
            assert!(
                HEAD.iter()
                    .all(|(_, member)| read(text).member(*member).is_none()),
                "{text}"
            );
            assert_eq!(read(text).raw().get(), text);
        }
    }
}

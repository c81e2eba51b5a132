//! Which part of a name is registered. The public suffix list is compiled in, its private section included:
//! what stands under a shared host belongs to its own owner. Names come without a dot at their end.

/// The registrable domain of a name.
pub(super) fn registrable(name: &str) -> Option<&str> {
    psl::domain_str(name)
}

/// Whether the whole name is a suffix on the list, under which others register.
pub(super) fn is_public(name: &str) -> bool {
    psl::suffix(name.as_bytes())
        .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes().len() == name.len())
}

/// Whether a top-level domain is delegated. `example` is reserved for documents.
pub(super) fn exists(top: &str) -> bool {
    let listed = |name: &str| {
        psl::suffix(name.as_bytes()).is_some_and(|suffix| suffix.typ() == Some(psl::Type::Icann))
    };
    // Some are listed only with what stands below them.
    top == "example" || listed(top) || listed(&format!("a.{top}"))
}

/// Whether `host` is `domain` or a name below it.
pub(super) fn is_at_or_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

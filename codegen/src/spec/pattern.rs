//! Patterns over add-site names.

use std::fmt;
use std::str::FromStr;

use crate::diag::nearest;

/// A glob over site names such as `external[*].mds.block[1].t01`.
///
/// `*` stands for any characters but a dot, so `block[*]` matches every index, `*` a whole
/// segment and `t*` every name that begins with `t`. A site name may itself contain `[*]`: code
/// that all rounds share; only `[*]` matches that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SitePattern(String);

/// Why a text is not a [`SitePattern`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// What is wrong, in words.
    pub reason: String,
    /// Byte offset in the text at which it goes wrong.
    pub offset: usize,
}

impl SitePattern {
    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it covers the site of that name.
    #[must_use]
    pub fn matches(&self, site: &str) -> bool {
        // Nearly all patterns differ from a site at their end.
        let mut ends = (self.0.as_bytes(), site.as_bytes());
        while let ([pattern @ .., wanted], [site @ .., given]) = ends
            && *wanted != b'*'
        {
            if wanted != given {
                return false;
            }
            ends = (pattern, site);
        }
        let (mut pattern, mut site) = (self.0.split('.'), site.split('.'));
        loop {
            match (pattern.next(), site.next()) {
                (None, None) => return true,
                (Some(pattern), Some(segment)) if glob(pattern, segment) => {}
                _ => return false,
            }
        }
    }

    /// What to write in place of a pattern that matches none of `sites`.
    #[must_use]
    pub fn unmatched_help<S: AsRef<str>>(&self, sites: &[S]) -> String {
        if let Some(shared) = self.over_all_rounds()
            && sites.iter().any(|site| shared.matches(site.as_ref()))
        {
            return format!("all rounds of a kind share one body: write `{shared}`");
        }
        match nearest(&self.0, sites).as_slice() {
            [] => "`codegen sites KERNEL` lists every site".to_owned(),
            near => {
                let near: Vec<_> = near.iter().take(3).copied().collect();
                format!("the nearest sites are `{}`", near.join("`, `"))
            }
        }
    }

    /// The same with `[*]` in place of the index of the first segment, if that has a number.
    fn over_all_rounds(&self) -> Option<Self> {
        let first = self.0.split('.').next()?;
        let (name, index) = first.split_once('[')?;
        (index != "*]").then(|| Self(format!("{name}[*]{}", &self.0[first.len()..])))
    }
}

/// What is between two stars is looked for from left to right: where it is first, most is left.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let left = text.strip_prefix(first).and_then(|text| {
        let mut parts = middle.split('*');
        parts.try_fold(text, |text, part| Some(text.split_once(part)?.1))
    });
    left.is_some_and(|left| left.ends_with(last))
}

/// What is wrong with a segment, and where.
fn check_segment(segment: &str) -> Result<(), (String, usize)> {
    let open = segment.find('[').unwrap_or(segment.len());
    let (name, index) = segment.split_at(open);
    let allowed = |c: &char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-' | '*');
    if name.is_empty() {
        return Err(("empty segment".to_owned(), 0));
    }
    if let Some((at, c)) = name.char_indices().find(|(_, c)| !allowed(c)) {
        return Err((format!("unexpected {c:?}"), at));
    }
    let Some(index) = index.strip_prefix('[') else {
        return Ok(());
    };
    let Some((number, rest)) = index.split_once(']') else {
        return Err(("`[` without `]`".to_owned(), open));
    };
    if number != "*" && (number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit())) {
        let reason = format!("index `{number}` is neither a number nor `*`");
        return Err((reason, open + 1));
    }
    if !rest.is_empty() {
        return Err((
            format!("`{rest}` after an index"),
            segment.len() - rest.len(),
        ));
    }
    Ok(())
}

impl FromStr for SitePattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let mut start = 0;
        for segment in text.split('.') {
            check_segment(segment).map_err(|(reason, at)| PatternError {
                reason,
                offset: start + at,
            })?;
            start += segment.len() + 1;
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for SitePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> SitePattern {
        text.parse().unwrap()
    }

    #[test]
    fn matches_by_segment() {
        let site = "external[*].mds.block[1].t01";
        for text in [
            site,
            "external[*].mds.block[*].t01",
            "external[*].mds.block[1].*",
            "external[*].*.block[1].t*",
            "*.mds.*.t01",
        ] {
            assert!(pattern(text).matches(site), "{text}");
        }
        for text in [
            "external[2].mds.block[1].t01",
            "external[*].mds.block[2].t01",
            "external[*].mds.block.t01",
            "external[*].mds.block[1]",
            "external[*].mds.block[1].t01.x",
            "external[*].*",
            "*",
        ] {
            assert!(!pattern(text).matches(site), "{text}");
        }
        assert!(pattern("internal.sum.*").matches("internal.sum.3"));
        assert!(pattern("internal.*").matches("internal.rc"));
        assert!(pattern("internal.diag[*].0").matches("internal.diag[15].0"));
        assert!(!pattern("internal.diag[1].0").matches("internal.diag[15].0"));
    }

    #[test]
    fn stars_take_what_is_left() {
        for (text, site) in [
            ("a*b*c", "abxcbc"),
            ("*ab*ab*", "abab"),
            ("**", ""),
            ("a*a", "aa"),
        ] {
            assert!(glob(text, site), "{text}");
        }
        for (text, site) in [
            ("a*a", "a"),
            ("*ab*ab*", "ab"),
            ("a*b*c", "acb"),
            ("*b", "bc"),
        ] {
            assert!(!glob(text, site), "{text}");
        }
        let stars = "*a".repeat(1_000);
        assert!(!pattern(&stars).matches(&("a".repeat(2_000) + "b")));
    }

    #[test]
    fn refuses_with_the_offset() {
        for (text, offset, reason) in [
            ("", 0, "empty segment"),
            ("internal..rc", 9, "empty segment"),
            ("internal.rc.", 12, "empty segment"),
            ("external[*.mds", 8, "`[` without `]`"),
            ("external[].mds", 9, "index `` is neither a number nor `*`"),
            (
                "external[x].mds",
                9,
                "index `x` is neither a number nor `*`",
            ),
            ("external[1][2]", 11, "`[2]` after an index"),
            ("internal.sum 3", 12, "unexpected ' '"),
            ("Internal.rc", 0, "unexpected 'I'"),
            ("internal]", 8, "unexpected ']'"),
        ] {
            let error = text.parse::<SitePattern>().unwrap_err();
            assert_eq!(
                (error.offset, error.reason.as_str()),
                (offset, reason),
                "{text}"
            );
        }
    }

    #[test]
    fn help_for_a_pattern_without_sites() {
        let sites = [
            "external[*].mds.block[0].t01",
            "internal.rc",
            "internal.sum.3",
        ];
        assert_eq!(
            pattern("external[2].mds.block[*].t01").unmatched_help(&sites),
            "all rounds of a kind share one body: write `external[*].mds.block[*].t01`"
        );
        assert_eq!(
            pattern("internal.sun.3").unmatched_help(&sites),
            "the nearest sites are `internal.sum.3`"
        );
        assert_eq!(
            pattern("x").unmatched_help(&sites),
            "`codegen sites KERNEL` lists every site"
        );
    }
}

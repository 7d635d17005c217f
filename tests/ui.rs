//! Mistakes of newcomers: each shows one clear error at the user's own tokens.

#[test]
fn mistakes_are_explained_at_their_tokens() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*/*.rs");
}

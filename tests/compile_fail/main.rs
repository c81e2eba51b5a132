//! What can not even be written: an effect without a permit, a permit that nobody gave, one that is used twice. Each
//! file is a program that must not compile, beside what the compiler says to it.

#[test]
fn there_is_no_effect_without_a_permit_and_no_permit_without_the_gate() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("compile_fail/*/*.rs");
}

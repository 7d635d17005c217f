//! Methods of bytes that are ASCII characters.

use warpsmith_macros::device_methods;

use super::super::text::{fixed, with};
use crate::ir::{Facts, Prelude, ResultRange};

/// Of those that are true of some bytes alone, from one to another.
const fn within(low: i64, high: i64) -> Facts {
    Facts::within(ResultRange::Tells(low, high))
}

device_methods! {
    /// Methods of bytes that kernels may call.
    pub trait AsciiMethods in ascii for u8 {
        fn is_ascii(self) -> bool = fixed("(({0}) < 128)"), within(0, 127);
        fn is_ascii_digit(self) -> bool = with("ws_is_within({0}, '0', '9')", &WITHIN), within(48, 57);
        fn is_ascii_lowercase(self) -> bool = with("ws_is_within({0}, 'a', 'z')", &WITHIN), within(97, 122);
        fn is_ascii_uppercase(self) -> bool = with("ws_is_within({0}, 'A', 'Z')", &WITHIN), within(65, 90);
        fn is_ascii_alphabetic(self) -> bool = with("ws_is_within(({0}) | 32, 'a', 'z')", &WITHIN), within(65, 122);
        fn is_ascii_alphanumeric(self) -> bool = with("ws_is_ascii_alphanumeric({0})", &ALPHANUMERIC), within(48, 122);
        fn is_ascii_hexdigit(self) -> bool = with("ws_is_ascii_hexdigit({0})", &HEXDIGIT), within(48, 102);
        fn is_ascii_whitespace(self) -> bool = with("ws_is_ascii_whitespace({0})", &WHITESPACE), within(9, 32);
        fn is_ascii_punctuation(self) -> bool = with("ws_is_ascii_punctuation({0})", &PUNCTUATION), within(33, 126);
        fn is_ascii_control(self) -> bool = with("ws_is_ascii_control({0})", &CONTROL), within(0, 127);
        fn to_ascii_lowercase(self) -> u8 = with("ws_to_ascii_lowercase({0})", &LOWERCASE);
        fn to_ascii_uppercase(self) -> u8 = with("ws_to_ascii_uppercase({0})", &UPPERCASE);
        fn eq_ignore_ascii_case(self, other: &u8) -> bool = with("(ws_to_ascii_lowercase({0}) == ws_to_ascii_lowercase({1}))", &LOWERCASE);
    }
}

macro_rules! preludes {
    ($($name:ident $text:literal $code:literal [$($needs:ident)*];)+) => {$(
        static $name: Prelude = Prelude { name: $text, code: $code, needs: &[$(&$needs),*] };
    )+};
}

preludes! {
    WITHIN "ws_is_within" "__device__ __forceinline__ bool ws_is_within(unsigned int c, unsigned int low, unsigned int high) { return c - low <= high - low; }
" [];
    ALPHANUMERIC "ws_is_ascii_alphanumeric" "__device__ __forceinline__ bool ws_is_ascii_alphanumeric(unsigned char c) { return ws_is_within(c | 32, 'a', 'z') || ws_is_within(c, '0', '9'); }
" [WITHIN];
    HEXDIGIT "ws_is_ascii_hexdigit" "__device__ __forceinline__ bool ws_is_ascii_hexdigit(unsigned char c) { return ws_is_within(c | 32, 'a', 'f') || ws_is_within(c, '0', '9'); }
" [WITHIN];
    WHITESPACE "ws_is_ascii_whitespace" "__device__ __forceinline__ bool ws_is_ascii_whitespace(unsigned char c) { return c == ' ' || c == '\\t' || c == '\\n' || c == '\\f' || c == '\\r'; }
" [];
    PUNCTUATION "ws_is_ascii_punctuation" "__device__ __forceinline__ bool ws_is_ascii_punctuation(unsigned char c) { return ws_is_within(c, '!', '~') && !ws_is_ascii_alphanumeric(c); }
" [ALPHANUMERIC];
    CONTROL "ws_is_ascii_control" "__device__ __forceinline__ bool ws_is_ascii_control(unsigned char c) { return c < 32 || c == 127; }
" [];
    LOWERCASE "ws_to_ascii_lowercase" "__device__ __forceinline__ unsigned char ws_to_ascii_lowercase(unsigned char c) { return ws_is_within(c, 'A', 'Z') ? c | 32 : c; }
" [WITHIN];
    UPPERCASE "ws_to_ascii_uppercase" "__device__ __forceinline__ unsigned char ws_to_ascii_uppercase(unsigned char c) { return ws_is_within(c, 'a', 'z') ? c & 223 : c; }
" [WITHIN];
}

//! Names that CUDA, C++ or the printed text also uses.

use super::coverage;
use super::scope::Gen;

/// Names of variables: types and variables of CUDA, keywords of C++, names that the printer makes.
const VARIABLES: [&str; 66] = [
    "float3",
    "uchar4",
    "ulonglong2",
    "int_",
    "j0",
    "y1",
    "j1f",
    "k",
    "t",
    "t_1",
    "t_2",
    "t_len",
    "Tuple_u64_u64",
    "Tuple_u32_u32",
    "tag",
    "more",
    "end",
    "arg0",
    "arg1",
    "auto",
    "class",
    "template",
    "this",
    "operator",
    "isnan",
    "signbit",
    "lround",
    "make_float4",
    "asm",
    "half",
    "double",
    "short",
    "long",
    "unsigned",
    "signed",
    "namespace",
    "union",
    "xs_len",
    "ys_len",
    "out_len",
    "ws_fault",
    "ws_at",
    "ws_View",
    "clock",
    "Light_Red",
    "Option_u32",
    "Shape_Dot",
    "delete",
    "new",
    "not",
    "and",
    "or",
    "xor",
    "compl",
    "explicit",
    "friend",
    "goto",
    "inline",
    "mutable",
    "register",
    "switch",
    "throw",
    "typename",
    "using",
    "wchar_t",
    "nullptr",
];

/// Names of device functions: CUDA's functions, and those that the printed text holds.
const FUNCTIONS: [&str; 30] = [
    "j0",
    "j1f",
    "y0",
    "y1f",
    "isnan",
    "signbit",
    "lround",
    "make_float4",
    "abs_",
    "rsqrt_",
    "fill_slice",
    "swap_elements",
    "new_",
    "add",
    "index",
    "index_mut",
    "map_or",
    "memcpy",
    "sin",
    "exp10f",
    "mul24",
    "select",
    "norm",
    "ws_max",
    "ws_shl",
    "isinf",
    "double",
    "float2",
    "pair_of",
    "element_mut",
];

impl Gen<'_> {
    /// A name for a variable that may hide nothing that is called: now and then one of a foreign language, which may
    /// begin with a capital if `capitals`.
    pub fn local(&mut self, prefix: &str, capitals: bool) -> String {
        if self.random.chance(90) || coverage::without("hostile name of a variable") {
            return self.fresh(prefix);
        }
        let name = *self.random.pick(&VARIABLES);
        if !capitals && name.starts_with(|c: char| c.is_ascii_uppercase()) {
            return self.fresh(prefix);
        }
        let taken = self.helpers.iter().any(|h| h.name == name) || self.vars.iter().any(|v| v.name == name);
        if taken {
            return self.fresh(prefix);
        }
        self.seen("hostile name of a variable");
        name.to_owned()
    }
}

/// A name for a device function, which `taken` does not hold.
pub fn function(random: &mut crate::random::Random, taken: &[&str], plain: String) -> (String, bool) {
    let name = *random.pick(&FUNCTIONS);
    let plainly = random.chance(70) || coverage::without("hostile name of a function");
    if plainly || taken.contains(&name) { (plain, false) } else { (name.to_owned(), true) }
}

/// How a function of the module is called: a single name of CUDA's is refused in a kernel.
pub fn called(name: &str) -> String {
    if ["make_float4", "memcpy"].contains(&name) { format!("self::{name}") } else { name.to_owned() }
}

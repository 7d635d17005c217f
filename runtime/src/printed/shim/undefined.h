// What the sanitizer of undefined behaviour finds besides overflows.

WS_UNDEFINED(shift_out_of_bounds, "a shift past the width, or of a negative value", WS_VALUES)
WS_UNDEFINED(out_of_bounds, "an index beyond its array", WS_VALUE)
WS_UNDEFINED(load_invalid_value, "a value that its type does not have", WS_VALUE)
WS_UNDEFINED(type_mismatch_v1, "a null or misaligned pointer", WS_VALUE)
WS_UNDEFINED(pointer_overflow, "a pointer beyond the address space", WS_VALUES)
WS_UNDEFINED(vla_bound_not_positive, "an array of no length", WS_VALUE)
WS_UNDEFINED(float_cast_overflow, "a conversion of a float that its integer cannot hold", WS_VALUE)
WS_UNDEFINED(invalid_builtin, "a builtin of a value that it has no result for")
WS_UNDEFINED(builtin_unreachable, "a place that is never reached")
WS_UNDEFINED(missing_return, "a function that ends without its value")
WS_UNDEFINED(nonnull_arg, "a null argument")

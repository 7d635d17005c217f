//! Visitors of syntax trees that share one walk.
//!
//! `syn` compiles its whole walk, 180 functions, for each type that visits. The traits here have the nodes that visitors of this
//! crate look at, under `syn`'s names, and walk on through `dyn`: the walk is compiled once.

/// A trait of visitors with a method for each of some nodes, and the type through which `syn` walks for all of them.
macro_rules! visitors {
    ($(#[$docs:meta])* $visitor:ident, $(#[$walk_docs:meta])* $walk:ident, $module:ident, [$($life:lifetime)?],
     $($method:ident: $node:ty,)+) => {
        $(#[$docs])*
        pub(crate) trait $visitor$(<$life>)? {
            /// This visitor, as the walk takes it.
            fn this(&mut self) -> &mut dyn $visitor$(<$life>)?;

            $(fn $method(&mut self, node: $node) {
                syn::$module::$method(&mut $walk(self.this()), node);
            })+
        }

        $(#[$walk_docs])*
        pub(crate) struct $walk<'v$(, $life)?>(pub(crate) &'v mut dyn $visitor$(<$life>)?);

        impl$(<$life>)? syn::$module::$visitor$(<$life>)? for $walk<'_$(, $life)?> {
            $(fn $method(&mut self, node: $node) {
                self.0.$method(node);
            })+
        }
    };
}

visitors! {
    /// Looks at the nodes of a syntax tree.
    Visit,
    /// Walks on below a node: `visit::visit_expr(&mut Below(self), expr)`.
    Below, visit, ['ast],
    visit_attribute: &'ast syn::Attribute,
    visit_block: &'ast syn::Block,
    visit_expr: &'ast syn::Expr,
    visit_expr_assign: &'ast syn::ExprAssign,
    visit_expr_cast: &'ast syn::ExprCast,
    visit_expr_closure: &'ast syn::ExprClosure,
    visit_expr_index: &'ast syn::ExprIndex,
    visit_expr_path: &'ast syn::ExprPath,
    visit_expr_return: &'ast syn::ExprReturn,
    visit_expr_try: &'ast syn::ExprTry,
    visit_file: &'ast syn::File,
    visit_fn_arg: &'ast syn::FnArg,
    visit_generic_argument: &'ast syn::GenericArgument,
    visit_impl_item_fn: &'ast syn::ImplItemFn,
    visit_item: &'ast syn::Item,
    visit_item_fn: &'ast syn::ItemFn,
    visit_lifetime: &'ast syn::Lifetime,
    visit_local: &'ast syn::Local,
    visit_macro: &'ast syn::Macro,
    visit_parenthesized_generic_arguments: &'ast syn::ParenthesizedGenericArguments,
    visit_pat: &'ast syn::Pat,
    visit_pat_ident: &'ast syn::PatIdent,
    visit_path: &'ast syn::Path,
    visit_return_type: &'ast syn::ReturnType,
    visit_trait_item_fn: &'ast syn::TraitItemFn,
    visit_type: &'ast syn::Type,
    visit_type_impl_trait: &'ast syn::TypeImplTrait,
    visit_type_reference: &'ast syn::TypeReference,
}

visitors! {
    /// Changes the nodes of a syntax tree.
    VisitMut,
    /// Walks on below a node: `visit_mut::visit_expr_mut(&mut BelowMut(self), expr)`.
    BelowMut, visit_mut, [],
    visit_block_mut: &mut syn::Block,
    visit_derive_input_mut: &mut syn::DeriveInput,
    visit_expr_mut: &mut syn::Expr,
    visit_field_pat_mut: &mut syn::FieldPat,
    visit_generic_argument_mut: &mut syn::GenericArgument,
    visit_generics_mut: &mut syn::Generics,
    visit_ident_mut: &mut syn::Ident,
    visit_item_mut: &mut syn::Item,
    visit_item_fn_mut: &mut syn::ItemFn,
    visit_item_impl_mut: &mut syn::ItemImpl,
    visit_item_static_mut: &mut syn::ItemStatic,
    visit_item_trait_mut: &mut syn::ItemTrait,
    visit_lifetime_mut: &mut syn::Lifetime,
    visit_pat_mut: &mut syn::Pat,
    visit_pat_ident_mut: &mut syn::PatIdent,
    visit_signature_mut: &mut syn::Signature,
    visit_stmt_mut: &mut syn::Stmt,
    visit_type_mut: &mut syn::Type,
    visit_type_reference_mut: &mut syn::TypeReference,
    visit_where_predicate_mut: &mut syn::WherePredicate,
}

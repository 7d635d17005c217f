//! Runs a program for one simulated thread.

use std::sync::Arc;

use super::long_loop::first_stop;
use super::numeric::{get, put};
use super::program::{Index, Op, Program, Site, Slot, Width};
use super::run::Rules;
use crate::simulator::context;
use crate::simulator::{Access, Branch, Instruction, Operation, Space, Synchronisation};
use crate::types::{Slice, Sliceable};

/// A thread while it runs.
pub(super) struct RunningThread<'p> {
    pub program: &'p Arc<Program>,
    /// The kernel's name.
    pub name: &'static str,
    /// The base of its frame.
    pub frame: *mut u8,
    /// The iterations and calls around what it executes.
    instance: u64,
    /// The call in the user's own code under which it executes library code.
    caller: Site,
    /// Iterations that are left until it pauses.
    left: u64,
    /// Whether it has been noted how many it has made.
    pub(super) noted: bool,
    /// Iterations that it may make.
    pub rules: Rules,
}

impl<'p> RunningThread<'p> {
    pub fn new(program: &'p Arc<Program>, name: &'static str, frame: *mut u8, rules: Rules) -> Self {
        let left = first_stop(rules.steps);
        Self { program, name, frame, instance: 0, caller: 0, left, noted: false, rules }
    }

    /// Executes from `pc` to the end of the kernel.
    pub fn run(&mut self, mut pc: usize) {
        let (program, frame) = (self.program, self.frame);
        let code = program.code.as_slice();
        loop {
            let op = &code[pc];
            pc += 1;
            // SAFETY: the lowering gave every operation slots of the right types in a frame of the
            // program's size, and addresses that earlier operations checked.
            unsafe {
                match *op {
                    Op::Copy { to, from, bytes } => copy(self.at(from), self.at(to), bytes),
                    Op::AddressOf { to, of } => put(frame, to, self.at(of)),
                    Op::Offset { to, pointer, bytes } => {
                        let start: *mut u8 = get(frame, pointer);
                        put(frame, to, start.wrapping_add(bytes as usize));
                    }
                    Op::Load { to, pointer, offset, bytes } => {
                        let from: *const u8 = get(frame, pointer);
                        copy(from.wrapping_add(offset as usize), self.at(to), bytes);
                    }
                    Op::Store { pointer, offset, from, bytes } => {
                        let to: *mut u8 = get(frame, pointer);
                        copy(self.at(from), to.wrapping_add(offset as usize), bytes);
                    }
                    Op::Unary { f, to, a } => f(frame, to, a),
                    Op::Binary { f, to, a, b } => f(frame, to, a, b),
                    Op::Checked { f, to, a, b, otherwise, site } => {
                        if !f(frame, to, a, b) {
                            self.refuse(otherwise, b, site);
                        }
                    }
                    Op::Element { to, extent, index, bytes, site } => {
                        let (start, len): (*mut u8, usize) = (get(frame, extent), get(frame, extent + 8));
                        put(frame, to, self.element(start, len, index, bytes, site));
                    }
                    Op::ElementOf { to, slice, index, bytes, site } => {
                        let (start, len) = self.slice(slice);
                        put(frame, to, self.element(start, len, index, bytes, site));
                    }
                    Op::ElementIn { to, pointer, len, index, bytes, site } => {
                        let start = get(frame, pointer);
                        put(frame, to, self.element(start, len as usize, index, bytes, site));
                    }
                    Op::Row { to, shared, rank, index, bytes, site } => {
                        self.row(to, shared, rank, index, bytes, site);
                    }
                    Op::Cell { to, shared, indices, bytes, site } => {
                        put(frame, to, self.cell(shared, indices, bytes, site));
                    }
                    Op::ViewElement { to, view, rank, indices, bytes, site } => {
                        put(frame, to, self.view_element(view, rank, indices, bytes, site));
                    }
                    Op::Part { extent, start, end, bytes, site } => {
                        self.part(extent, start, end, bytes, site);
                    }
                    Op::Reinterpret { extent, table, site } => self.reinterpret(extent, table, site),
                    Op::Keep { to, extent } => self.keep(to, extent),
                    Op::Extent { to, slice } => {
                        let (start, len) = self.slice(slice);
                        put(frame, to, start);
                        put(frame, to + 8, len);
                    }
                    Op::Shared { to, array } => self.shared(to, array),
                    Op::DynamicShared { to, bytes } => {
                        let (start, size) = context::dynamic_shared();
                        put(frame, to, start);
                        put(frame, to + 8, size / bytes as usize);
                    }
                    Op::Jump { to } => pc = to as usize,
                    Op::JumpIf { condition, to } => {
                        if get::<u8>(frame, condition) != 0 {
                            pc = to as usize;
                        }
                    }
                    Op::JumpUnless { condition, to } => {
                        if get::<u8>(frame, condition) == 0 {
                            pc = to as usize;
                        }
                    }
                    Op::JumpBy { f, a, b, sense, to } => {
                        if f(frame, a, b) == sense {
                            pc = to as usize;
                        }
                    }
                    Op::Begin { f, counter, start, end, to } => {
                        if !f(frame, counter, start, end) {
                            pc = to as usize;
                        }
                    }
                    Op::Again { f, counter, bound, step, to } => {
                        if f(frame, counter, bound, step) {
                            pc = to as usize;
                        }
                    }
                    Op::First { f, counter, start, end, some } => {
                        put(frame, some, f(frame, counter, start, end));
                    }
                    Op::Next { f, counter, bound, step, more } => {
                        put(frame, more, f(frame, counter, bound, step));
                    }
                    Op::Enter { kept } => {
                        put(frame, kept, self.instance);
                        put(frame, kept + 8, 0u64);
                    }
                    Op::Iterate { kept, watched, site } => {
                        if watched {
                            self.iterate(kept, site);
                        }
                        self.left = self.left.wrapping_sub(1);
                        if self.left == 0 {
                            self.left = self.pause(site);
                        }
                    }
                    Op::Resume { kept, site } => self.resume(kept, site),
                    Op::Leave { kept } => self.instance = get(frame, kept),
                    Op::Call { to, link, site } => {
                        put(frame, link, pc as u64);
                        put(frame, link + 8, self.instance);
                        put(frame, link + 16, self.caller);
                        self.instance = mix(self.instance, u64::from(site) << 32);
                        if !program.library[site as usize] {
                            self.caller = site;
                        }
                        pc = to as usize;
                    }
                    Op::Return { link } => {
                        pc = get::<u64>(frame, link) as usize;
                        self.instance = get(frame, link + 8);
                        self.caller = get(frame, link + 16);
                    }
                    Op::End => return,
                    Op::Builtin { meaning, args, count, ret, site } => {
                        let args = &program.args[args as usize..][..count as usize];
                        self.builtin(meaning.0, args, ret, site);
                    }
                    Op::Fail { message, site } => {
                        self.panic(&program.messages[message as usize], site);
                    }
                    Op::Beyond { value, limit, range, site } => {
                        let [value, limit] = [value, limit].map(|index| self.index(index));
                        if range {
                            self.out_of_range(value, limit, site)
                        } else {
                            self.out_of_bounds(value, limit, site)
                        }
                    }
                    Op::Print { table } => {
                        program.prints[table as usize].print(frame);
                    }
                    Op::Launch { table, site } => self.launch(program, table, site),
                    Op::NotNan { scalar, value, a, b, site } => self.not_nan(scalar, [value, a, b], site),
                    Op::Within { f, value, range, scalar, wanted, site } => {
                        if !f(frame, value, value, range) {
                            self.inexact(scalar, value, wanted, site);
                        }
                    }
                    Op::Access { pointer, offset, bytes, align, kind, constant, site } => {
                        let address = get::<usize>(frame, pointer).wrapping_add(offset as usize);
                        let space = self.space(address, constant);
                        if space != Space::Local || program.locals {
                            let by = self.instruction(site);
                            context::tell_access(&Access { address, bytes, align, space, kind, by });
                        }
                    }
                    Op::Local { slot, bytes, align, kind, site } => {
                        let (address, by) = (self.at(slot).addr(), self.instruction(site));
                        let space = Space::Local;
                        context::tell_access(&Access { address, bytes, align, space, kind, by });
                    }
                    Op::Touch { pointer, offset, bytes, writes, site } => {
                        let address = get::<usize>(frame, pointer).wrapping_add(offset as usize);
                        self.touch(address, bytes, writes, site);
                    }
                    Op::TouchLocal { slot, bytes, writes, site } => {
                        self.touch(self.at(slot).addr(), bytes, writes, site);
                    }
                    Op::Branch { condition, negated, site } => {
                        let taken = (get::<u8>(frame, condition) != 0) != negated;
                        context::tell_branch(&Branch { taken, by: self.instruction(site) });
                    }
                    Op::Synchronise { which, site, to } => {
                        let at = self.instruction(site).at;
                        let which = Synchronisation { at, ..program.synchronisations[which as usize] };
                        if !context::synchronise(&which) {
                            pc = to as usize;
                        }
                    }
                    Op::Synchronised => context::synchronised(),
                    Op::Work { work, site } => self.work(work, site),
                }
            }
        }
    }

    /// The address of a slot.
    pub(super) fn at(&self, slot: Slot) -> *mut u8 {
        self.frame.wrapping_offset(slot as isize)
    }

    /// Address and length of a slice, by the slot of a reference to its descriptor.
    #[inline]
    pub(super) fn slice(&self, slot: Slot) -> (*mut u8, usize) {
        // SAFETY: references to slices are addresses of descriptors that live as long as the thread.
        let (start, len) = unsafe { &*get::<*const Slice<u8>>(self.frame, slot) }.extent();
        (start.cast_mut(), len)
    }

    /// An index as Rust's `as usize` makes it.
    #[inline]
    pub(super) fn index(&self, index: Index) -> usize {
        let (frame, slot) = (self.frame, index.slot);
        // SAFETY: the lowering put an integer of this width at the slot.
        unsafe {
            match index.width {
                Width::Word => get(frame, slot),
                Width::U32 => get::<u32>(frame, slot) as usize,
                Width::I32 => get::<i32>(frame, slot) as usize,
                Width::U16 => get::<u16>(frame, slot) as usize,
                Width::I16 => get::<i16>(frame, slot) as usize,
                Width::U8 => get::<u8>(frame, slot) as usize,
                Width::I8 => get::<i8>(frame, slot) as usize,
            }
        }
    }

    #[inline]
    fn element(&self, start: *mut u8, len: usize, index: Index, bytes: u32, site: Site) -> *mut u8 {
        let index = self.checked(index, len, site);
        start.wrapping_add(index * bytes as usize)
    }

    /// An index below a length.
    #[inline]
    fn checked(&self, index: Index, len: usize, site: Site) -> usize {
        let index = self.index(index);
        if index >= len {
            self.out_of_bounds(index, len, site);
        }
        index
    }

    fn row(&self, to: Slot, shared: Slot, rank: u32, index: Index, bytes: u32, site: Site) {
        // SAFETY: the slot holds a descriptor of a shared array of this rank.
        unsafe {
            let extents: [usize; 3] = std::array::from_fn(|i| {
                if i < rank as usize { get(self.frame, shared + 8 + 8 * i as Slot) } else { 1 }
            });
            let index = self.checked(index, extents[0], site);
            let start: *mut u8 = get(self.frame, shared);
            put(self.frame, to, start.wrapping_add(index * extents[1] * extents[2] * bytes as usize));
            for (i, extent) in extents[1..rank as usize].iter().enumerate() {
                put(self.frame, to + 8 + 8 * i as Slot, *extent);
            }
        }
    }

    /// An element of a shared matrix, by its descriptor: address and extents.
    #[inline]
    fn cell(&self, shared: Slot, [row, col]: [Index; 2], bytes: u32, site: Site) -> *mut u8 {
        // SAFETY: the slot holds a descriptor of a shared array of rank 2.
        let (start, rows, cols): (*mut u8, usize, usize) =
            unsafe { (get(self.frame, shared), get(self.frame, shared + 8), get(self.frame, shared + 16)) };
        let place = self.checked(row, rows, site) * cols + self.checked(col, cols, site);
        start.wrapping_add(place * bytes as usize)
    }

    fn view_element(&self, view: Slot, rank: u32, indices: [Index; 3], bytes: u32, site: Site) -> *mut u8 {
        // SAFETY: the slot holds a view of this rank: address, extents, strides, outermost first.
        let word = |i: usize| unsafe { get::<usize>(self.frame, view + 8 * i as Slot) };
        let rank = rank as usize;
        let mut offset = 0usize;
        for (axis, index) in indices[..rank].iter().enumerate() {
            let stride = if axis + 1 == rank { 1 } else { word(1 + rank + axis) };
            offset = offset.wrapping_add(self.checked(*index, word(1 + axis), site).wrapping_mul(stride));
        }
        (word(0) as *mut u8).wrapping_add(offset.wrapping_mul(bytes as usize))
    }

    fn part(&self, extent: Slot, start: Option<Index>, end: Option<Index>, bytes: u32, site: Site) {
        // SAFETY: the slot holds an address and a length.
        unsafe {
            let (first, len): (*mut u8, usize) = (get(self.frame, extent), get(self.frame, extent + 8));
            let start = start.map_or(0, |index| self.index(index));
            let end = end.map_or(len, |index| self.index(index));
            if start > end {
                self.out_of_range(start, end, site);
            }
            if end > len {
                self.out_of_range(end, len, site);
            }
            put(self.frame, extent, first.wrapping_add(start * bytes as usize));
            put(self.frame, extent + 8, end - start);
        }
    }

    fn reinterpret(&self, extent: Slot, table: u32, site: Site) {
        let wanted = &self.program.reinterpretations[table as usize];
        // SAFETY: the slot holds an address and a length.
        unsafe {
            let (start, len): (usize, usize) = (get(self.frame, extent), get(self.frame, extent + 8));
            if !start.is_multiple_of(wanted.align) {
                let (name, align) = (&wanted.name, wanted.align);
                let message = format!(
                    "memory at {start:#x} is reinterpreted as `{name}`, which is aligned to {align} bytes"
                );
                self.panic(&message, site);
            }
            put(self.frame, extent + 8, len * wanted.from / wanted.to);
        }
    }

    fn keep(&self, to: Slot, extent: Slot) {
        // SAFETY: the slot holds an address and a length; what they describe outlives the thread.
        unsafe {
            let (start, len) = (get(self.frame, extent), get(self.frame, extent + 8));
            let kept = context::keep(Slice::<u8>::from_raw_parts(start, len));
            put(self.frame, to, std::ptr::from_mut(kept));
        }
    }

    fn shared(&self, to: Slot, array: u32) {
        let array = &self.program.shared[array as usize];
        let (file, line, column) = (array.at.file, array.at.line, array.number);
        let site = context::SharedSite { file, line, column, instance: None };
        let start = context::shared_alloc(site, array.bytes, array.align);
        // SAFETY: the slot has room for a descriptor of this rank.
        unsafe {
            put(self.frame, to, start);
            for (i, extent) in array.extents.iter().enumerate() {
                put(self.frame, to + 8 + 8 * i as Slot, *extent);
            }
        }
    }

    fn builtin(&self, meaning: unsafe fn(*const *const u8, *mut u8), slots: &[Slot], ret: Slot, site: Site) {
        let mut few = [std::ptr::null(); FEW_ARGUMENTS];
        let mut many = Vec::new();
        let addresses = match few.get_mut(..slots.len()) {
            Some(few) => few,
            None => {
                many.resize(slots.len(), std::ptr::null());
                many.as_mut_slice()
            }
        };
        for (address, slot) in addresses.iter_mut().zip(slots) {
            *address = self.at(*slot).cast_const();
        }
        context::set_instruction(Some(self.instruction(site)));
        // SAFETY: the lowering put arguments of the meaning's types at the slots, and room at `ret`.
        unsafe { meaning(addresses.as_ptr(), self.at(ret)) };
    }

    #[inline]
    fn iterate(&mut self, kept: Slot, site: Site) {
        // SAFETY: `Enter` wrote both words.
        unsafe {
            let count = get::<u64>(self.frame, kept + 8) + 1;
            put(self.frame, kept + 8, count);
        }
        self.resume(kept, site);
    }

    #[inline]
    fn resume(&mut self, kept: Slot, site: Site) {
        // SAFETY: `Enter` wrote both words.
        unsafe {
            let count = get::<u64>(self.frame, kept + 8);
            self.instance = mix(get(self.frame, kept), u64::from(site) << 32 ^ count);
        }
    }

    pub(super) fn instruction(&self, site: Site) -> Instruction {
        // Within the library's own functions the line is that of who calls them.
        let at = if self.program.library[site as usize] { self.caller } else { site };
        Instruction { at: self.program.sites[at as usize], site, instance: self.instance }
    }

    #[inline]
    fn touch(&self, address: usize, bytes: u32, writes: bool, site: Site) {
        if context::has_products_in_flight() {
            context::touch(address, bytes as usize, writes, self.instruction(site).at);
        }
    }

    fn space(&self, address: usize, constant: bool) -> Space {
        if constant {
            return Space::Constant;
        }
        let own = self.frame.addr()..self.frame.addr() + self.program.frame;
        if own.contains(&address) { Space::Local } else { context::space_of(address) }
    }

    fn work(&self, work: Operation, site: Site) {
        context::tell_work(work, &self.instruction(site));
    }
}

/// Arguments of a builtin whose addresses need no allocation.
const FEW_ARGUMENTS: usize = 16;

/// Joins the number of an instance with that of what it is in.
#[inline]
fn mix(outer: u64, inner: u64) -> u64 {
    let mixed = (outer.rotate_left(29) ^ inner).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

/// Copies bytes that do not overlap.
///
/// # Safety
/// `bytes` bytes at both addresses are valid.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: u32) {
    // SAFETY: as promised by the caller; no alignment is assumed.
    unsafe {
        match bytes {
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            1 => to.write(from.read()),
            16 => to.cast::<u128>().write_unaligned(from.cast::<u128>().read_unaligned()),
            _ => to.copy_from(from, bytes as usize),
        }
    }
}

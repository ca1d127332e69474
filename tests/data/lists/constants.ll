; Functions of one source that has two function constants: a kernel that uses none of them, two
; that use both, and one that uses one. As Apple's compiler does, one initializer sets the
; variables of all. Written by hand; `llvm-as -preserve-bc-uselistorder=false` of LLVM 14 makes
; tests/data/lists/constants.bc of it.
source_filename = "constants.ll"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v24:32:32-v32:32:32-v48:64:64-v64:64:64-v96:128:128-v128:128:128-v192:256:256-v256:256:256-v512:512:512-v1024:1024:1024-n8:16:32"
target triple = "air64-apple-macosx14.0.0"

@_ZL6factor = internal unnamed_addr addrspace(2) global float undef, align 4
@_Z6factor.MTL_FC_INIT_0_f = internal unnamed_addr addrspace(2) externally_initialized constant float undef, section "air.fc_initializer", align 4
@_ZL5limit = internal unnamed_addr addrspace(2) global float undef, align 4
@_Z5limit.MTL_FC_INIT_1_f = internal unnamed_addr addrspace(2) externally_initialized constant float undef, section "air.fc_initializer", align 4
@llvm.global_ctors = appending global [1 x { i32, void ()*, i8* }] [{ i32, void ()*, i8* } { i32 65535, void ()* @_GLOBAL__sub_I_constants.metal, i8* null }]

define internal void @_GLOBAL__sub_I_constants.metal() #0 section "air.static_init" {
  %factor = load float, float addrspace(2)* @_Z6factor.MTL_FC_INIT_0_f, align 4
  store float %factor, float addrspace(2)* @_ZL6factor, align 4
  %limit = load float, float addrspace(2)* @_Z5limit.MTL_FC_INIT_1_f, align 4
  store float %limit, float addrspace(2)* @_ZL5limit, align 4
  ret void
}

define void @plain(float addrspace(1)* nocapture %values) #0 {
  store float 1.0, float addrspace(1)* %values, align 4
  ret void
}

define void @both(float addrspace(1)* nocapture %values) #0 {
  %factor = load float, float addrspace(2)* @_ZL6factor, align 4
  %limit = load float, float addrspace(2)* @_ZL5limit, align 4
  %product = fmul float %factor, %limit
  store float %product, float addrspace(1)* %values, align 4
  ret void
}

define void @again(float addrspace(1)* nocapture %values) #0 {
  %factor = load float, float addrspace(2)* @_ZL6factor, align 4
  %limit = load float, float addrspace(2)* @_ZL5limit, align 4
  %sum = fadd float %factor, %limit
  store float %sum, float addrspace(1)* %values, align 4
  ret void
}

define void @some(float addrspace(1)* nocapture %values) #0 {
  %factor = load float, float addrspace(2)* @_ZL6factor, align 4
  store float %factor, float addrspace(1)* %values, align 4
  ret void
}

attributes #0 = { nounwind }

!air.kernel = !{!1, !2, !3, !4}
!air.function_constants = !{!10, !11}
!air.version = !{!30}
!air.language_version = !{!31}
!air.source_file_name = !{!32}
!llvm.ident = !{!33}

!0 = !{}
!1 = !{void (float addrspace(1)*)* @plain, !0, !5}
!2 = !{void (float addrspace(1)*)* @both, !0, !5}
!3 = !{void (float addrspace(1)*)* @again, !0, !5}
!4 = !{void (float addrspace(1)*)* @some, !0, !5}
!5 = !{!6}
!6 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.write", !"air.address_space", i32 1, !"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"values"}

!10 = !{float addrspace(2)* @_Z6factor.MTL_FC_INIT_0_f, !"float", !"factor", i32 0, i1 true}
!11 = !{float addrspace(2)* @_Z5limit.MTL_FC_INIT_1_f, !"float", !"limit", i32 1, i1 true}

!30 = !{i32 2, i32 6, i32 0}
!31 = !{!"Metal", i32 3, i32 1, i32 0}
!32 = !{!"constants.ll"}
!33 = !{!"a hand and llvm-as"}

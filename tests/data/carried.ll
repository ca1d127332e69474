; A module with a path in every text that is carried as it is. Made with LLVM 14:
; llvm-as carried.ll -o carried.bc
source_filename = "carried"
target datalayout = "e-p:64:64:64"
target triple = "air64-apple-macosx14.0.0"

module asm "/* /tmp/assembly */"

%"/tmp/type" = type { i32 }

$"/tmp/comdat" = comdat any

@"/tmp/variable" = global %"/tmp/type" zeroinitializer, section "/tmp/section", partition "/tmp/partition"

define void @f(i32* %p) #0 comdat($"/tmp/comdat") gc "/tmp/collector" {
  fence syncscope("/tmp/scope") seq_cst
  ret void, !\2Ftmp\2Fkind !0
}

attributes #0 = { "/tmp/key" "value"="/tmp/value" }

!\2Ftmp\2Flist = !{!0}
!0 = !{i32 1}

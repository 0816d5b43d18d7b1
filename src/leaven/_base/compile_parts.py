# mypy: disable-error-code="no-untyped-call"
"""Compilation of kernels that only kernels call: into these, and not as functions of Python.

numba compiles every function as if Python called it: optimized by itself, as machine code, with a
wrapper for Python's arguments and another one for those of C. All of that is thrown away where the
caller is compiled too, which contains the function's code and is optimized as a whole.
"""

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult

__all__ = ["OPTIONS", "Callable", "Inlined", "Part"]

# numba compiles its own functions, such as np.empty, once for each set of options of their callers.
# With the options of its functions themselves, they are shared.
OPTIONS: dict[str, Any] = {"no_cpython_wrapper": True}


class Callable(Compiler):  # type: ignore[misc]
    """Compiles what Python calls: without the GIL, and with no wrapper for C."""

    def define_pipelines(self) -> Any:
        flags = self.state.flags  # from here on the function's own, not those of what it calls
        flags.no_cpython_wrapper = False
        flags.no_cfunc_wrapper = True
        flags.release_gil = True
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        return _Kept(*super()._compile_core())


class _Kept(CompileResult):  # type: ignore[misc]
    """Compiled code as it is written to disk."""

    def _find_referenced_environments(self) -> list[Any]:
        """Modules that the code refers to, which are imported with it: those of its constants."""
        return [each for each in super()._find_referenced_environments() if each.consts]


class Part(Compiler):  # type: ignore[misc]
    """Compiles what only kernels call: neither optimized by itself nor turned into machine code."""

    def define_pipelines(self) -> Any:
        flags = self.state.flags
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        state, context = self.state, self.state.targetctx
        library = _Linked(context.codegen(), state.func_id.func_qualname)
        state.library = library
        compiled = super()._compile_core()
        library.finalize()
        function = compiled.fndesc
        # The dispatcher requires something to call, by which numba finds the code to link.
        entry = _dynfunc.make_function(
            function.lookup_module(), function.qualname, "", 0, compiled.environment, (library,)
        )
        context.insert_user_function(entry, function, [library])
        return compiled._replace(entry_point=entry)


class Inlined(Part):
    """As ``Part``, and LLVM copies it into its callers, however large these become.

    numba could do so itself (``inline="always"``), but then infers types anew in every copy.
    """

    def define_pipelines(self) -> Any:
        self.state.flags.forceinline = True
        return super().define_pipelines()

    def _compile_core(self) -> Any:
        compiled = super()._compile_core()
        returned = compiled.signature.return_type
        if self.state.targetctx.data_model_manager[returned].contains_nrt_meminfo():
            raise TypeError(
                f"{self.state.func_id.func_qualname} must return no arrays, got {returned}; "
                "make it a kernel_part"
            )
        return compiled


class _Linked(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked into other code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

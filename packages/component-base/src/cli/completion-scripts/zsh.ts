export const zshScript = (program: string): string => `#compdef ${program}
# zsh completion for ${program}

_${program}() {
    local out line directive
    local -a answers choices options
    out=$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null) || return
    answers=("\${(@f)out}")
    directive="\${answers[-1]#:}"
    answers[-1]=()
    (( directive & 1 )) && return 1
    # Complete only the part after the = of a flag.
    [[ "\${words[CURRENT]}" == -*=* ]] && compset -P '*='
    if (( directive & 16 )); then
        _files -/
        return
    fi
    for line in "\${answers[@]}"; do
        # _describe separates a choice and its description by a colon.
        [[ -n "$line" ]] && choices+=("\${\${line//:/\\\\:}/$'\\t'/:}")
    done
    (( directive & 2 )) && options=(-S '')
    if (( \${#choices} )); then
        _describe '${program}' choices "\${options[@]}"
    elif (( ! (directive & 4) )); then
        _files
    fi
}

# When sourced, register the function. When autoloaded by compinit from fpath, this file is its body.
if [[ "\${funcstack[1]}" == "_${program}" ]]; then
    _${program}
else
    compdef _${program} ${program}
fi
`;

/** For bash 3.2 and later, with or without the package bash-completion. */
export const bashScript = (program: string): string => `# bash completion for ${program}

_${program}_complete() {
    local line="\${COMP_LINE:0:COMP_POINT}" words=() word out directive i
    # Bash splits words at = and :, but ${program} needs them as they were typed.
    for ((i = 0; i < COMP_CWORD; i++)); do
        word="\${COMP_WORDS[i]}"
        if [[ $i -gt 0 && "$line" == "$word"* ]]; then
            words[\${#words[@]}-1]="\${words[\${#words[@]}-1]}$word"
        else
            line="\${line#"\${line%%[![:space:]]*}"}"
            words+=("$word")
        fi
        line="\${line#"$word"}"
    done
    if [[ -z "$line" || "$line" == [[:space:]]* ]]; then
        if [[ -z "$line" && "\${COMP_WORDS[COMP_CWORD]}" == "" && "\${words[\${#words[@]}-1]}" == *= ]]; then
            # The value of a flag, still empty.
            word=""
        else
            word="\${line#"\${line%%[![:space:]]*}"}"
            words+=("$word")
        fi
    else
        word="$line"
        words[\${#words[@]}-1]="\${words[\${#words[@]}-1]}$line"
    fi
    COMPREPLY=()
    out="$("\${words[0]/#\\~/$HOME}" __completeNoDesc "\${words[@]:1}" 2>/dev/null)" || return
    directive="\${out##*:}"
    out="\${out%:*}"
    if (( directive & 1 )); then return; fi
    if (( directive & 16 )); then
        while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -d -- "$word")
        return
    fi
    while IFS= read -r i; do
        if [[ -n "$i" ]]; then COMPREPLY+=("$i"); fi
    done <<< "$out"
    if [[ $(type -t compopt) == builtin ]]; then
        if (( directive & 2 )); then compopt -o nospace; fi
        if (( directive & 4 )); then compopt +o default; fi
    fi
}

complete -o default -F _${program}_complete ${program}
`;

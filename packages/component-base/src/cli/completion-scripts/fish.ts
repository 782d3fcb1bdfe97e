export const fishScript = (program: string): string => `# fish completion for ${program}

function __${program}_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l command $words[1]
    set -e words[1]
    set -l answers ($command __complete $words "$current" 2>/dev/null)
    or return
    set -l directive (string replace -r '^:' '' -- $answers[-1])
    set -e answers[-1]
    # math has no bitand in older versions of fish.
    set -l wants_files (math "1 - floor($directive / 4) % 2")
    set -l prefix (string match -r -- '^-[^=]*=' "$current")
    for answer in $answers
        echo "$prefix$answer"
    end
    if test (count $answers) -eq 0 -a "$wants_files" = 1
        __fish_complete_path "$current"
    end
end

complete -c ${program} -e
complete -c ${program} -f -a '(__${program}_complete)'
`;

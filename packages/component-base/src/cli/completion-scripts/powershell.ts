/** For Windows PowerShell 5.1 and PowerShell 7. */
export const powershellScript = (program: string): string => `# powershell completion for ${program}

Register-ArgumentCompleter -Native -CommandName '${program}' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    $command = $words[0]
    $line = @($words | Select-Object -Skip 1)
    if ($wordToComplete -eq '') {
        # Before version 7.3 an empty word is not passed on to a program unless it is quoted.
        $line += if ($PSVersionTable.PSVersion -lt [version]'7.3.0') { '""' } else { '' }
    }
    $answers = @(& $command '__complete' @line 2>$null)
    if ($answers.Count -eq 0) { return }
    $directive = [int]($answers[-1].TrimStart(':'))
    if ($directive -band 1) { return }
    $prefix = if ($wordToComplete -match '^(-[^=]*=)') { $Matches[1] } else { '' }
    $space = if ($directive -band 2) { '' } else { ' ' }
    $choices = @($answers | Select-Object -SkipLast 1 | Where-Object { $_ -ne '' })
    foreach ($choice in $choices) {
        $value, $about = $choice -split "\`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new("$prefix$value$space", $value, 'ParameterValue', $about)
    }
    # An empty answer keeps PowerShell from offering file names.
    if ($choices.Count -eq 0 -and ($directive -band 4)) { '' }
}
`;

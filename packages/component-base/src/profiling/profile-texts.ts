import { functionNameOf } from './call-frame.ts';
import type { HeapStack } from './heap-sampler.ts';

const descriptions: Readonly<Record<string, string>> = {
  heap: 'Live memory by the functions that allocated it, sampled, in bytes. With seconds=N: what changed in that time. V8 collects garbage first.',
  profile: 'CPU time by function, over 30 seconds or seconds=N. Only one profile at a time.',
  symbol: 'No symbols: these profiles contain the names of functions.',
};

/** The index page, which lists the profiles. */
export function indexText(folder: string): string {
  const rows = Object.entries(descriptions).map(
    ([name, text]) =>
      `<tr><td><a href='${name}${name === 'heap' ? '?debug=1' : ''}'>${name}</a></td><td>${text}</td></tr>\n`,
  );
  return `<html>
<head><title>${folder}/</title></head>
<body>
<p>${folder}/</p>
<table>
${rows.join('')}</table>
<p>Profiles are for <code>go tool pprof</code>. The heap is shown as text with debug=1.</p>
</body>
</html>
`;
}

/** Formats a heap profile for people, largest first. */
export function heapText(stacks: readonly HeapStack[]): string {
  const total = stacks.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = [...stacks]
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ frames, bytes }) => `${Math.round(bytes)} bytes\n${frames.map(frameLine).join('')}`);
  return [`heap profile: ${Math.round(total)} bytes in use\n`, ...parts].join('\n');
}

const frameLine = (frame: HeapStack['frames'][number]): string =>
  frame.url === ''
    ? `#\t${functionNameOf(frame)}\n`
    : `#\t${functionNameOf(frame)}\t${frame.url}:${frame.lineNumber + 1}\n`;

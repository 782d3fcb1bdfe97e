import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseMountInfo, parseMountPoints, readMountInfo } from './mount-info.ts';

const line =
  '36 35 98:0 /mnt1 /mnt/two\\040words\\011and\\134 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue';

it('reads a mount with all its fields, and decodes what the kernel escaped', () => {
  expect(parseMountInfo(`${line}\n`)).toEqual([
    {
      id: 36,
      parentId: 35,
      device: '98:0',
      root: '/mnt1',
      mountPoint: '/mnt/two words\tand\\',
      options: ['rw', 'noatime'],
      propagation: ['master:1', 'shared:7'],
      type: 'ext3',
      source: '/dev/root',
      superOptions: ['rw', 'errors=continue'],
    },
  ]);
});

it.each([
  ['no optional field', '22 27 0:21 / /proc rw - proc proc rw', 'proc', 'proc'],
  ['an empty source', '22 27 0:21 / /x rw - tmpfs  rw', 'tmpfs', ''],
  ['a type that looks like the separator', '22 27 0:21 / /x rw - - none rw', '-', 'none'],
])('reads a mount with %s', (_, text, type, source) => {
  expect(parseMountInfo(text)).toMatchObject([{ type, source }]);
});

it('leaves out what is no mount', () => {
  expect(parseMountInfo('\nnonsense\n1 2 3\n')).toEqual([]);
});

it('reads mount points alone as it reads them with all fields', () => {
  const text = [
    '',
    line,
    'nonsense',
    '1 2 3',
    '22 27 0:21 / /proc rw - proc proc rw',
    '23 27 0:21 / /x rw - tmpfs  rw',
    '',
  ];
  expect(parseMountPoints(text.join('\n'))).toEqual(
    parseMountInfo(text.join('\n')).map(({ mountPoint }) => mountPoint),
  );
  expect(parseMountPoints(line)).toEqual(['/mnt/two words\tand\\']);
});

it('reads again on an old kernel, whose file may lack a mount', async () => {
  const proc = await mkdtemp(join(tmpdir(), 'coxswain-proc-'));
  try {
    await mkdir(join(proc, 'self'));
    await mkdir(join(proc, 'sys/kernel'), { recursive: true });
    await writeFile(join(proc, 'sys/kernel/osrelease'), '4.18.0-305.el8\n');
    await writeFile(join(proc, 'self/mountinfo'), line);
    expect(await readMountInfo(proc)).toHaveLength(1);
  } finally {
    await rm(proc, { recursive: true });
  }
});

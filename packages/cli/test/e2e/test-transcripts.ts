import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinary } from './binaries.ts';
import { CoxApiServer } from './cox-apiserver.ts';
import { Shell } from './shell.ts';
import { parseTranscript } from './transcript.ts';

/**
 * Runs the commands of the transcripts against one server, and compares their output with the recorded output of a real
 * kube-apiserver. Each command is a test; those of a transcript depend on each other.
 */
export function testTranscripts(...names: readonly string[]): void {
  describe.skipIf(!findBinary('kubectl') || !findBinary('helm'))('against cox apiserver', () => {
    let server: CoxApiServer;
    beforeAll(async () => {
      server = await CoxApiServer.start();
    });
    afterAll(() => server?.stop());

    describe.each(names)('%s', (name) => {
      let shell: Shell;
      beforeAll(() => {
        shell = new Shell(server.kubeconfig);
      });
      afterAll(() => shell?.close());

      const { steps } = parseTranscript(readFileSync(new URL(`transcripts/${name}.txt`, import.meta.url), 'utf8'));
      it.each(steps)('$command', async ({ command, output }) => {
        expect(await shell.run(command)).toBe(output);
      });
    });
  });
}

import { expect, it } from 'vitest';
import { openInProcessWebSocket } from './default-transport.ts';
import { TransportError } from './transport.ts';

it('a browser rejects WebSockets to a server in the same process', async () => {
  await expect(openInProcessWebSocket()).rejects.toThrow(TransportError);
});

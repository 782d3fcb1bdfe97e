import { vi } from 'vitest';
import { protobufContract } from './protobuf-contract.test-data.ts';

vi.mock('./code-generation.ts', async (importOriginal) => ({ ...(await importOriginal<object>()), generateAfter: 0 }));

protobufContract();

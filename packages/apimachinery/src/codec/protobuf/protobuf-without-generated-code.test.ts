import { vi } from 'vitest';
import { protobufContract } from './protobuf-contract.test-data.ts';

vi.mock('./code-generation.ts', () => ({ generateAfter: Number.POSITIVE_INFINITY }));

protobufContract();

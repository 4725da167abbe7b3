import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { describeBackend } from './backend-suite.ts'

describeBackend('the fake', async () => createFakeBackend(), { tolerance: 0, isOrderInvariant: true })
describeBackend(
  'the fake without eyes',
  async () => createFakeBackend({ capabilities: { images: false, boxes: false }, contextLength: 512 }),
  {
    isOrderInvariant: true,
  },
)

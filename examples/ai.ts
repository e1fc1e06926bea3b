// Calls to a language model in the profile: `POST /ask` asks it, and it may ask for a tool. Start a model that speaks as OpenAI does, Ollama
// for example, and this with `APP_ENV=dev AI_URL=http://127.0.0.1:11434/v1 AI_MODEL=qwen3`. In your project, import from 'fanlight'.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { createApp, json, RouteCollection, run } from '../src/index.ts'
import { profiler } from '../src/profiler.ts'

const provider = createOpenAICompatible({
  name: 'local',
  baseURL: process.env['AI_URL'] ?? 'http://127.0.0.1:11434/v1',
})
const model = process.env['AI_MODEL'] ?? 'qwen3'

const weather = tool({
  description: 'How warm it is in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 7 }),
})

const routes = new RouteCollection().post('ask', '/ask', async ({ request }) => {
  const prompt = await request.body.text()
  const { text } = await generateText({
    model: provider(model),
    prompt,
    tools: { weather },
    stopWhen: isStepCount(3),
  })
  return json({ text })
})

const ai = { captureTexts: true }
await run((context) => createApp({ context, routes, plugins: [profiler({ ai })] }))

import type { Model } from './model.ts'
import { createOpenAiModel } from './openai-model.ts'
import { createScriptedModel } from './scripted-model.ts'

/** Returns the model that the environment variables configure. Default: the scripted model. */
export const chooseModel = (environment: NodeJS.ProcessEnv): Model => {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY, MODEL } = environment
  if (OPENAI_BASE_URL || OPENAI_API_KEY)
    return createOpenAiModel({
      baseUrl: OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
      apiKey: OPENAI_API_KEY,
      model: requireModel(MODEL),
    })
  if (ANTHROPIC_API_KEY)
    // Anthropic supports OpenAI's protocol at this address.
    return createOpenAiModel({
      baseUrl: 'https://api.anthropic.com/v1',
      apiKey: ANTHROPIC_API_KEY,
      model: requireModel(MODEL),
    })
  return createScriptedModel()
}

const requireModel = (model: string | undefined): string => {
  if (!model) throw new Error('Set MODEL to the name of the model to use.')
  return model
}

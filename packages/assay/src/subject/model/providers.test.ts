import { describe, expect, it } from 'vitest'
import { UsageError } from '@assay/contract'
import { findProvider, isOwnOrigin, isOwnPair, providerNames, splitModel } from './providers.ts'

describe('splitModel', () => {
  it('cuts at the first slash', () => {
    expect(splitModel('openai/gpt-5')).toEqual({ provider: 'openai', model: 'gpt-5' })
    expect(splitModel('openrouter/meta-llama/llama-3')).toEqual({
      provider: 'openrouter',
      model: 'meta-llama/llama-3',
    })
    expect(splitModel('ollama/qwen3:8b')).toEqual({ provider: 'ollama', model: 'qwen3:8b' })
  })

  it.each(['gpt-5', '', '/gpt-5', 'openai/', ' / '])('refuses "%s"', (spec) => {
    expect(() => splitModel(spec)).toThrow(UsageError)
  })
})

describe('findProvider', () => {
  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
    ['azure', 'AZURE_OPENAI_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
    ['xai', 'XAI_API_KEY'],
    ['grok', 'XAI_API_KEY'],
    ['deepseek', 'DEEPSEEK_API_KEY'],
    ['groq', 'GROQ_API_KEY'],
  ])('finds the key of %s in %s', (name, variable) => {
    const found = findProvider(name, { env: { [variable]: ' key-12345678\n' } })
    expect(found).toMatchObject({ key: 'key-12345678', keyFrom: variable, keyMissing: false })
    expect(findProvider(name, { env: { [variable]: ' ' } })).toMatchObject({
      key: null,
      keyMissing: true,
    })
  })

  it.each(['ollama', 'vllm', 'llamacpp', 'llama.cpp', 'lmstudio'])(
    'needs no key for %s',
    (name) => {
      const found = findProvider(name, { env: {} })
      expect(found).toMatchObject({ api: 'chat', local: true, key: null, keyMissing: false })
      expect(found.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/u)
    },
  )

  it('takes a key and a URL from assay.toml over the environment', () => {
    const env = {
      OPENAI_API_KEY: 'from-the-environment',
      OPENAI_BASE_URL: 'http://env/v1',
      MINE: 'mine-1234',
    }
    const providers = { openai: { baseUrl: 'https://corp.example/v1/', apiKeyEnv: 'MINE' } }
    expect(findProvider('openai', { env, providers })).toMatchObject({
      api: 'responses',
      baseUrl: 'https://corp.example/v1',
      moved: true,
      key: 'mine-1234',
      keyFrom: 'MINE',
    })
    const written = { openai: { apiKey: 'written-1234' } }
    expect(findProvider('openai', { env, providers: written })).toMatchObject({
      baseUrl: 'http://env/v1',
      key: 'written-1234',
      keyFrom: 'apiKey in assay.toml',
    })
  })

  it('adds providers of assay.toml', () => {
    const providers = {
      groq: { baseUrl: 'https://api.groq.com/openai/v1', apiKeyEnv: 'GROQ_API_KEY' },
      open: { baseUrl: 'http://10.0.0.1:9000/v1' },
      claude: { baseUrl: 'http://10.0.0.1:9000', api: 'anthropic' },
    } as const
    const sources = { providers, env: {} }
    expect(findProvider('groq', sources)).toMatchObject({
      keyFrom: 'GROQ_API_KEY',
      keyMissing: true,
    })
    expect(findProvider('open', sources)).toMatchObject({
      api: 'chat',
      key: null,
      keyMissing: false,
    })
    expect(findProvider('claude', sources).baseUrl).toBe('http://10.0.0.1:9000/v1')
    expect(providerNames(sources)).toEqual(expect.arrayContaining(['openai', 'groq', 'claude']))
  })

  it.each([
    ['openai', 'OPENAI_BASE_URL', 'http://h:1/v1', 'http://h:1/v1'],
    ['anthropic', 'ANTHROPIC_BASE_URL', 'http://h:1', 'http://h:1/v1'],
    ['anthropic', 'ANTHROPIC_BASE_URL', 'http://h:1/proxy/v1/', 'http://h:1/proxy/v1'],
    ['google', 'GOOGLE_GEMINI_BASE_URL', 'http://h:1/', 'http://h:1/v1beta'],
    ['openrouter', 'OPENROUTER_BASE_URL', 'https://h/api/v1', 'https://h/api/v1'],
    [
      'azure',
      'AZURE_OPENAI_ENDPOINT',
      'https://n.openai.azure.com/',
      'https://n.openai.azure.com/openai/v1',
    ],
    ['azure', 'AZURE_OPENAI_BASE_URL', 'https://h/proxy/v1', 'https://h/proxy/v1'],
    ['groq', 'GROQ_BASE_URL', 'https://h/openai/v1', 'https://h/openai/v1'],
    ['vllm', 'VLLM_BASE_URL', 'http://h:8000/v1', 'http://h:8000/v1'],
    ['ollama', 'OLLAMA_HOST', '10.1.1.1', 'http://10.1.1.1:11434/v1'],
    ['ollama', 'OLLAMA_HOST', '0.0.0.0:5000', 'http://127.0.0.1:5000/v1'],
    ['ollama', 'OLLAMA_HOST', ':5000', 'http://127.0.0.1:5000/v1'],
    ['ollama', 'OLLAMA_HOST', 'https://gpu.example', 'https://gpu.example/v1'],
    ['ollama', 'OLLAMA_HOST', 'http://h:80', 'http://h/v1'],
  ])('moves %s by %s=%s', (name, variable, value, baseUrl) => {
    expect(findProvider(name, { env: { [variable]: value } })).toMatchObject({
      baseUrl,
      moved: true,
    })
  })

  it('is where it always is without settings', () => {
    expect(findProvider('openai', { env: {} })).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      moved: false,
    })
  })

  it.each([
    ['nonsense', {}, 'there is no provider "nonsense": known are openai, anthropic'],
    ['opnai', {}, 'there is no provider "opnai" (did you mean openai?): known are openai'],
    ['constructor', {}, 'there is no provider "constructor"'],
    ['mine', { mine: {} }, '[providers.mine] in assay.toml needs a baseUrl'],
    ['mine', { mine: { baseUrl: 'ftp://h' } }, '[providers.mine] baseUrl is no http or https URL'],
    ['mine', { mine: { baseUrl: 'h:80' } }, 'is no http or https URL'],
    ['mine', { mine: { baseUrl: 'http://me:pw@h/v1' } }, 'must hold no user, password'],
    ['mine', { mine: { baseUrl: 'http://h/v1?key=1' } }, 'must hold no user, password, query'],
    ['mine', { mine: { baseUrl: 'http://h', apiKey: 'a key' } }, 'copy it again'],
    [
      'mine',
      { mine: { baseUrl: 'http://h', api: 'soap' as 'chat' } },
      'api is "soap", it must be one of',
    ],
  ])('tells the user what is wrong with %s %j', (name, providers, message) => {
    const find = (): unknown => findProvider(name, { env: {}, providers })
    expect(find).toThrow(UsageError)
    expect(find).toThrow(message)
  })

  it('quotes nothing that may be a key', () => {
    const key = 'sk-secret-12345678'
    const env = { OPENAI_BASE_URL: key, ANTHROPIC_API_KEY: `${key} ${key}` }
    expect(() => findProvider('openai', { env })).toThrow(/^(?!.*sk-secret)/u)
    expect(() => findProvider('anthropic', { env })).toThrow(/^(?!.*sk-secret)/u)
  })
})

describe('a key of a built-in provider', () => {
  it('belongs to the provider’s own address alone, and that of Azure to none', () => {
    expect(isOwnPair('GROQ_API_KEY', 'https://api.groq.com')).toBe(true)
    expect(isOwnPair('GROQ_API_KEY', 'https://api.mistral.ai')).toBe(false)
    expect(isOwnPair('XAI_API_KEY', 'https://api.x.ai')).toBe(true)
    // Anybody can have a resource of Azure, so a folder that names one needs trust.
    expect(isOwnPair('AZURE_OPENAI_API_KEY', 'https://resource.openai.azure.com')).toBe(false)
    expect(isOwnOrigin('https://resource.openai.azure.com')).toBe(false)
  })
})

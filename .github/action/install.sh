#!/usr/bin/env bash
# Installs and builds Assay in the folder that it is called in. The job's environment holds the keys of providers, which
# the code of hundreds of packages must not see. So npm gets only the variables that an installation needs.
set -euo pipefail

allowed=(
  PATH HOME USER LANG LC_ALL TZ TMPDIR TEMP TMP CI
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR
  npm_config_registry npm_config_cache npm_config_cafile NPM_CONFIG_REGISTRY NPM_CONFIG_CACHE NPM_CONFIG_CAFILE
  SYSTEMROOT APPDATA LOCALAPPDATA USERPROFILE
)
clean=()
for name in "${allowed[@]}"; do
  [ -n "${!name+set}" ] && clean+=("$name=${!name}")
done

env -i "${clean[@]}" npm ci
env -i "${clean[@]}" npm run build

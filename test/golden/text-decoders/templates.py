"""Chat templates that write what those of the families write for a user turn, with the same quirks: dates, default systems, refused systems, thinking."""

CHATML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
OPENS = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"


def default_system(text):
    return "{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\n" + text + "<|im_end|>\\n' }}{% endif %}"


# Asks for the date of today, if it can; the content is trimmed.
LLAMA = (
    "{{- bos_token }}{%- if strftime_now is defined %}{%- set date = strftime_now('%d %b %Y') %}{%- else %}{%- set date = '26 Jul 2024' %}{%- endif %}"
    "{%- if messages[0]['role'] == 'system' %}{%- set system = messages[0]['content'] | trim %}{%- set messages = messages[1:] %}"
    "{%- else %}{%- set system = '' %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\\n\\nCutting Knowledge Date: December 2023\\nToday Date: ' + date + '\\n\\n' + system + '<|eot_id|>' }}"
    "{%- for m in messages %}{{- '<|start_header_id|>' + m['role'] + '<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)

SMOLLM2 = default_system("You are a helpful AI assistant.") + CHATML + OPENS

QWEN2 = (
    "{%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}"
    "{%- else %}{{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{%- endif %}"
    "{%- for m in messages %}{%- if m.role == 'user' or m.role == 'assistant' %}"
    "{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{%- endif %}{%- endfor %}" + OPENS
)

# Looks for the last question from the end, and thinks unless it is told not to.
QWEN3 = (
    "{%- set ns = namespace(looking=true, last=messages|length - 1) %}{%- for m in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}"
    "{%- if ns.looking and m.role == 'user' and m.content is string and not (m.content.startswith('<tool_response>') and m.content.endswith('</tool_response>')) %}"
    "{%- set ns.looking = false %}{%- set ns.last = index %}{%- endif %}{%- endfor %}"
    "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' + '\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}"
)

# Contents go through a macro, which writes pictures too, and are trimmed; a last question that is none is refused; thinks unless it is told not to.
QWEN35 = (
    "{%- set seen = namespace(pictures=0) %}"
    "{%- macro written(content, counts) %}{%- if content is string %}{{- content }}{%- elif content is iterable and content is not mapping %}"
    "{%- for part in content %}{%- if part.type == 'image' or 'image' in part or 'image_url' in part %}"
    "{%- if counts %}{%- set seen.pictures = seen.pictures + 1 %}{%- endif %}{%- if add_vision_id %}{{- 'Picture ' ~ seen.pictures ~ ': ' }}{%- endif %}"
    "{{- '<|vision_start|><|image_pad|><|vision_end|>' }}{%- elif part.type == 'video' or 'video' in part %}{{- '<|vision_start|><|video_pad|><|vision_end|>' }}"
    "{%- elif 'text' in part %}{{- part.text }}{%- else %}{{- raise_exception('neither a text nor a picture') }}{%- endif %}{%- endfor %}{%- endif %}{%- endmacro %}"
    "{%- set ns = namespace(looking=true) %}{%- for m in messages[::-1] %}{%- if ns.looking and m.role == 'user' %}{%- set content = written(m.content, false) | trim %}"
    "{%- if not (content.startswith('<tool_response>') and content.endswith('</tool_response>')) %}{%- set ns.looking = false %}{%- endif %}{%- endif %}{%- endfor %}"
    "{%- if ns.looking %}{{- raise_exception('no question') }}{%- endif %}"
    "{%- for m in messages %}{%- set content = written(m.content, true) | trim %}{{- '<|im_start|>' + m.role + '\n' + content + '<|im_end|>' + '\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- else %}{{- '<think>\n' }}{%- endif %}{%- endif %}"
)

# Cannot do without the date of today; thinks unless it is told not to.
SMOLLM3 = (
    "{%- if enable_thinking is not defined %}{%- set enable_thinking = true %}{%- endif %}"
    "{{- '<|im_start|>system\\n## Metadata\\n\\nToday Date: ' + strftime_now('%d %B %Y') + '\\n' }}"
    "{{- 'Reasoning Mode: ' + ('/think' if enable_thinking else '/no_think') + '\\n\\n<|im_end|>\\n' }}"
    "{%- for m in messages %}{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' if enable_thinking else '<|im_start|>assistant\\n<think>\\n\\n</think>\\n' }}{%- endif %}"
)

# No system: what is given as one is refused; the assistant is called model.
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for m in messages %}{% set role = 'model' if m['role'] == 'assistant' else m['role'] %}"
    "{{ '<start_of_turn>' + role + '\\n' }}"
    "{% if m['content'] is string %}{{ m['content'] | trim }}{% else %}{% for item in m['content'] %}{{ item['text'] | trim }}{% endfor %}{% endif %}"
    "{{ '<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)

GRANITE = (
    "{%- if messages[0]['role'] == 'system' %}{%- set system = messages[0]['content'] %}{%- set rest = messages[1:] %}"
    "{%- else %}{%- set system = \"Knowledge Cutoff Date: April 2024.\\nToday's Date: \" + strftime_now('%B %d, %Y') + '.\\nYou are Granite.' %}"
    "{%- if thinking %}{%- set system = system + ' Think first.' %}{%- endif %}{%- set rest = messages %}{%- endif %}"
    "{{- '<|start_of_role|>system<|end_of_role|>' + system + '<|end_of_text|>\\n' }}"
    "{%- for m in rest %}{{- '<|start_of_role|>' + m['role'] + '<|end_of_role|>' + m['content'] + '<|end_of_text|>\\n' }}"
    "{%- if loop.last and add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}{%- endfor %}"
)

LFM2 = "{{- bos_token -}}" + CHATML + OPENS

"""Chat templates that write what those of the families write for a user turn with pictures."""

QWEN = (
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}"
    "<|im_start|>{{ message['role'] }}\n{% if message['content'] is string %}{{ message['content'] }}<|im_end|>\n{% else %}"
    "{% for content in message['content'] %}{% if content['type'] == 'image' or 'image' in content or 'image_url' in content %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif content['type'] == 'video' or 'video' in content %}<|vision_start|><|video_pad|><|vision_end|>"
    "{% elif 'text' in content %}{{ content['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

# No system message; what stands for a picture is text of the template, between tags that take the white space.
QWEN3 = """{%- set image_count = namespace(value=0) %}
{%- for message in messages %}
    {%- if message.role == "user" %}
        {{- '<|im_start|>' + message.role + '\\n' }}
        {%- if message.content is string %}
            {{- message.content }}
        {%- else %}
            {%- for content in message.content %}
                {%- if content.type == 'image' or 'image' in content or 'image_url' in content %}
                    {%- set image_count.value = image_count.value + 1 %}
                    {%- if add_vision_id %}Picture {{ image_count.value }}: {% endif -%}
                    <|vision_start|><|image_pad|><|vision_end|>
                {%- elif 'text' in content %}
                    {{- content.text }}
                {%- endif %}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# The beginning, then ChatML; pictures are one token each, which the processor writes out.
LFM2 = (
    "{{- bos_token -}}{% for message in messages %}{{- '<|im_start|>' + message['role'] + '\\n' -}}"
    "{% if message['content'] is string %}{{- message['content'] -}}{% else %}{% for content in message['content'] %}"
    "{% if content['type'] == 'image' %}{{- '<image>' -}}{% elif content['type'] == 'text' %}{{- content['text'] -}}{% endif %}{% endfor %}{% endif %}"
    "{{- '<|im_end|>\\n' -}}{% endfor %}{% if add_generation_prompt %}{{- '<|im_start|>assistant\\n' -}}{% endif %}"
)
